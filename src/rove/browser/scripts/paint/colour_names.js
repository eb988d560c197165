// Plain words for colours.

/** @type {[degrees: number, name: string][]} */
const HUES = [
  [15, "red"],
  [42, "orange"],
  [68, "yellow"],
  [165, "green"],
  [195, "cyan"],
  [255, "blue"],
  [290, "purple"],
  [345, "pink"],
  [361, "red"],
];

const MIN_CHROMA = 28;
const MIN_VIVID_CHROMA = 70;

/** @param {Colour} colour */
const chromaOf = ([red, green, blue]) => Math.max(red, green, blue) - Math.min(red, green, blue);

// Whether a colour is one that people would name, not a shade of grey.
/** @param {Colour} colour */
export const isVivid = (colour) => colour[3] > 0.5 && chromaOf(colour) >= MIN_VIVID_CHROMA;

/** @param {Colour} colour */
const hueOf = (colour) => {
  const [red, green, blue] = colour;
  const chroma = chromaOf(colour);
  const most = Math.max(red, green, blue);
  const sector =
    most === red
      ? ((green - blue) / chroma + 6) % 6
      : most === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
  return sector * 60;
};

/** @param {number} lightness */
const greyName = (lightness) => (lightness < 40 ? "black" : lightness > 240 ? "white" : "grey");

/** @param {Colour} colour */
export const colourName = (colour) => {
  const lightness = (Math.max(colour[0], colour[1], colour[2]) + Math.min(colour[0], colour[1], colour[2])) / 2;
  if (chromaOf(colour) < MIN_CHROMA) return greyName(lightness);
  const hue = hueOf(colour);
  const name = (HUES.find(([end]) => hue < end) || HUES[0])[1];
  if (name === "orange" && lightness < 105) return "brown";
  if (lightness < 60) return "dark " + name;
  return lightness > 205 ? "light " + name : name;
};
