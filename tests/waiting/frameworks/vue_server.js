import { renderToString } from "@vue/server-renderer";
import { makeApp } from "./vue.js";

renderToString(makeApp()).then((html) => console.log(html));
