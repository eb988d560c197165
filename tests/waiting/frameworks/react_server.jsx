import { renderToString } from "react-dom/server";
import { App } from "./react.jsx";

console.log(renderToString(<App />));
