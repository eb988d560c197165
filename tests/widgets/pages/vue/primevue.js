import Aura from "@primeuix/themes/aura";
import Accordion from "primevue/accordion";
import AccordionContent from "primevue/accordioncontent";
import AccordionHeader from "primevue/accordionheader";
import AccordionPanel from "primevue/accordionpanel";
import Button from "primevue/button";
import Column from "primevue/column";
import PrimeVue from "primevue/config";
import DataTable from "primevue/datatable";
import DatePicker from "primevue/datepicker";
import Dialog from "primevue/dialog";
import InputText from "primevue/inputtext";
import Menu from "primevue/menu";
import Select from "primevue/select";
import Toast from "primevue/toast";
import ToastService from "primevue/toastservice";
import Tooltip from "primevue/tooltip";
import { createApp } from "vue";

const template = `
<main>
  <h1>Garden</h1>
  <Button label="Plant a tree" @click="isOpen = true" />
  <Dialog v-model:visible="isOpen" modal header="Which tree?"><p>It needs a sunny place.</p><Button label="Later" @click="isOpen = false" /></Dialog>
  <Button label="Tools" aria-haspopup="true" @click="$refs.menu.toggle($event)" />
  <Menu ref="menu" :model="tools" popup />
  <Button label="Water" @click="$toast.add({ severity: 'info', summary: 'Watered', detail: 'The roses are happy.' })" />
  <Button label="Fence" v-tooltip.bottom="{ value: 'Keeps the deer out', showDelay: 300 }" />
  <Select v-model="plant" :options="plants" filter placeholder="Choose a plant" aria-label="Plant" />
  <DatePicker v-model="day" dateFormat="yy-mm-dd" inputId="day" />
  <Accordion><AccordionPanel value="0"><AccordionHeader>When to sow?</AccordionHeader><AccordionContent>After the last frost.</AccordionContent></AccordionPanel></Accordion>
  <DataTable v-model:selection="row" :value="rows" selectionMode="single" dataKey="name">
    <Column field="name" header="Plant" sortable /><Column field="height" header="Height" sortable />
  </DataTable>
  <Toast />
</main>`;
const data = () => ({
  isOpen: false,
  tools: [{ label: "Spade" }, { label: "Rake" }],
  plant: null,
  plants: ["Rose", "Fern", "Iris"],
  day: new Date(2031, 4, 10),
  row: null,
  rows: [
    { name: "Rose", height: 90 },
    { name: "Fern", height: 40 },
    { name: "Iris", height: 70 },
  ],
});
createApp({ template, data })
  .use(PrimeVue, { theme: { preset: Aura } })
  .use(ToastService)
  .directive("tooltip", Tooltip)
  .component("Accordion", Accordion)
  .component("AccordionContent", AccordionContent)
  .component("AccordionHeader", AccordionHeader)
  .component("AccordionPanel", AccordionPanel)
  .component("Button", Button)
  .component("Column", Column)
  .component("DataTable", DataTable)
  .component("DatePicker", DatePicker)
  .component("Dialog", Dialog)
  .component("InputText", InputText)
  .component("Menu", Menu)
  .component("Select", Select)
  .component("Toast", Toast)
  .mount("#app");
