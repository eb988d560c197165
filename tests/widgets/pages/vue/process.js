// Vuetify reads a variable of its build tool, which a bundle does not have.
globalThis.process = { env: {} };
