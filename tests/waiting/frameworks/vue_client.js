import { makeApp } from "./vue.js";

makeApp().mount("#app");
