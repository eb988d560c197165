import "element-plus/dist/index.css";
import ElementPlus, { ElMessage, ElMessageBox, ElNotification } from "element-plus";
import { createApp } from "vue";

const template = `
<main>
  <h1>Orders</h1>
  <el-button @click="isOpen = true">New order</el-button>
  <el-button @click="isDrawn = true">Show cart</el-button>
  <el-button @click="confirm">Cancel order</el-button>
  <el-button @click="message">Copy number</el-button>
  <el-button @click="notify">Ship</el-button>
  <p id="state">{{ state }}</p>
  <el-dialog v-model="isOpen" title="A new order">
    <p>Choose what you need.</p>
    <template #footer><el-button @click="isOpen = false">Not now</el-button></template>
  </el-dialog>
  <el-drawer v-model="isDrawn" title="Your cart"><p>Two lamps, one chair.</p></el-drawer>
  <el-collapse><el-collapse-item title="Delivery" name="1">Arrives within two days.</el-collapse-item></el-collapse>
  <el-tabs v-model="tab">
    <el-tab-pane label="Open" name="open">Three orders wait.</el-tab-pane>
    <el-tab-pane label="Done" name="done">Nine orders were delivered.</el-tab-pane>
  </el-tabs>
  <el-select v-model="city" filterable placeholder="Ship to" aria-label="Ship to" style="width: 240px">
    <el-option v-for="each in cities" :key="each" :label="each" :value="each" />
  </el-select>
  <el-date-picker v-model="day" type="date" placeholder="Ship on" value-format="YYYY-MM-DD" />
  <el-switch v-model="isGift" aria-label="Gift" />
  <el-tooltip content="Within the country only" :show-after="300"><el-button>Price</el-button></el-tooltip>
</main>`;
const data = () => ({
  isOpen: false,
  isDrawn: false,
  state: "Order 17 is open",
  tab: "open",
  city: "",
  cities: ["Berlin", "Bern", "Bergen", "Rome"],
  day: "2031-05-10",
  isGift: false,
});
const methods = {
  confirm() {
    ElMessageBox.confirm("Order 17 will be cancelled.", "Cancel it?", {
      confirmButtonText: "Cancel order 17",
      cancelButtonText: "Keep it",
    })
      .then(() => {
        this.state = "Order 17 is cancelled";
      })
      .catch(() => {
        this.state = "Order 17 was kept";
      });
  },
  message: () => ElMessage({ message: "Number copied", duration: 0, showClose: true }),
  notify: () => ElNotification({ title: "On its way", message: "The parcel left the house.", duration: 0 }),
};
createApp({ template, data, methods }).use(ElementPlus).mount("#app");
