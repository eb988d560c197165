import "./process.js";
import "vuetify/styles";
import { createApp } from "vue";
import { createVuetify } from "vuetify";
import { VApp, VAutocomplete, VMain, VSelect } from "vuetify/components";

const template = `
<v-app><v-main>
  <h1>Grow a garden</h1>
  <v-select v-model="crop" :items="crops" label="Crop" />
  <v-select v-model="tools" :items="['Hoe', 'Rake', 'Spade']" label="Tools" multiple chips />
  <v-autocomplete v-model="month" :items="months" label="Month" />
  <p id="plan">{{ crop }}, {{ tools.join(' and ') }}, {{ month }}</p>
</v-main></v-app>`;
const data = () => ({
  crop: "Beans",
  crops: Array.from({ length: 200 }, (_, number) => (number ? `Crop ${number}` : "Beans")),
  tools: ["Hoe"],
  month: null,
  months: ["March", "April", "May"],
});
createApp({ template, data })
  .use(createVuetify({ components: { VApp, VAutocomplete, VMain, VSelect } }))
  .mount("#app");
