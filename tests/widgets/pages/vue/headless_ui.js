import * as headless from "@headlessui/vue";
import { createApp } from "vue";

const style = document.createElement("style");
style.textContent = `
.panel { position: fixed; top: 20%; left: 35%; background: white; border: 1px solid; padding: 20px }
.slow { transition: opacity 300ms } .out { opacity: 0 } .in { opacity: 1 }`;
document.head.append(style);
const fading = 'enter="slow" enter-from="out" enter-to="in" leave="slow" leave-from="in" leave-to="out"';
const template = `
<main>
  <h1>Payments</h1>
  <button @click="isOpen = true">Pay now</button>
  <TransitionRoot :show="isOpen"><Dialog @close="isOpen = false">
    <TransitionChild as="template" ${fading}><DialogPanel class="panel">
      <DialogTitle>Payment received</DialogTitle><p>A receipt is on its way.</p><button @click="isOpen = false">Thanks</button>
    </DialogPanel></TransitionChild>
  </Dialog></TransitionRoot>
  <Menu><MenuButton>Options</MenuButton>
    <transition enter-active-class="slow" enter-from-class="out" leave-active-class="slow" leave-to-class="out">
      <MenuItems><MenuItem><button>Duplicate</button></MenuItem><MenuItem><button>Refund</button></MenuItem></MenuItems>
    </transition>
  </Menu>
  <Listbox v-model="method"><ListboxButton>{{ method }}</ListboxButton>
    <ListboxOptions><ListboxOption v-for="each in methods" :key="each" :value="each">{{ each }}</ListboxOption></ListboxOptions>
  </Listbox>
  <Disclosure><DisclosureButton>Fees</DisclosureButton>
    <transition enter-active-class="slow" enter-from-class="out" leave-active-class="slow" leave-to-class="out">
      <DisclosurePanel>One percent of the amount.</DisclosurePanel>
    </transition>
  </Disclosure>
  <SwitchGroup><SwitchLabel>Monthly</SwitchLabel><Switch v-model="isMonthly">.</Switch></SwitchGroup>
</main>`;
const data = () => ({
  isOpen: false,
  method: "By card",
  methods: ["By card", "By invoice", "In cash"],
  isMonthly: false,
});
createApp({ template, data, components: headless }).mount("#app");
