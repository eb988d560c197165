import { hydrate } from "svelte";
import App from "svelte-app-client";

hydrate(App, { target: document.getElementById("app") });
