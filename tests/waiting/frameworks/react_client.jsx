import { hydrateRoot } from "react-dom/client";
import { App } from "./react.jsx";

hydrateRoot(document.getElementById("app"), <App />);
