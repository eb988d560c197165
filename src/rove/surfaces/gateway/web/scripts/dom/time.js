// Times and durations as people read them.

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** @param {number} epochSeconds */
export const clockTime = (epochSeconds) => clock.format(epochSeconds * 1000);

/** @param {number} seconds */
export const duration = (seconds) => {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
};

/** @param {number} epochSeconds */
export const countdown = (epochSeconds) => {
  const left = Math.max(0, Math.ceil(epochSeconds - Date.now() / 1000));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
};

/** @param {number} epochSeconds */
export const secondsSince = (epochSeconds) => Math.max(0, Date.now() / 1000 - epochSeconds);
