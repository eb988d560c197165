import { render } from "svelte/server";
import App from "svelte-app-server";

console.log(render(App).body);
