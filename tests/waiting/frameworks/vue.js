import { createSSRApp, onMounted, ref } from "vue";

export const makeApp = () =>
  createSSRApp({
    setup() {
      const orders = ref([]);
      const news = ref("");
      const add = () => orders.value.push(`Order ${orders.value.length + 1}`);
      onMounted(() => fetch("/text?delay=300").then((each) => each.text()).then((text) => (news.value = text)));
      return { orders, news, add };
    },
    template: `<main>
      <h1>Orders</h1>
      <button @click="add">Add an order</button>
      <ul><li v-for="order in orders" :key="order">{{ order }}</li></ul>
      <p>{{ news }}</p>
    </main>`,
  });
