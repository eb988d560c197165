// Plugins look for the global.
import jQuery from "jquery";

window.jQuery = window.$ = jQuery;
