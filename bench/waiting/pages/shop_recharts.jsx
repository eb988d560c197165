// A shop's page in React: a query with a skeleton, charts that are drawn by frames, a figure that is asked for each second.
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import Skeleton from "react-loading-skeleton";
import "react-loading-skeleton/dist/skeleton.css";
import { Bar, BarChart, Line, LineChart, Tooltip, XAxis, YAxis } from "recharts";

const read = (address) => fetch(address).then((answer) => answer.json());

function Visitors() {
  const { data } = useQuery({ queryKey: ["visitors"], queryFn: () => read("/visitors.json"), refetchInterval: 1000 });
  return <p>Visitors now: {data ? data.now : "–"}</p>;
}

function Region({ name }) {
  const { data } = useQuery({ queryKey: ["region", name], queryFn: () => read(`/regions.json?region=${name}&delay=600`) });
  if (!data) return <Skeleton count={4} width={500} />;
  const region = data[name];
  return (
    <section>
      <h2>{region.title}</h2>
      <p>{region.summary}</p>
      <BarChart width={500} height={200} data={region.months}><XAxis dataKey="month" /><YAxis /><Tooltip /><Bar dataKey="sold" fill="#08c" /></BarChart>
      <LineChart width={500} height={200} data={region.months}><XAxis dataKey="month" /><YAxis /><Line dataKey="sold" /></LineChart>
    </section>
  );
}

function Shop() {
  const [region, setRegion] = useState("north");
  return (
    <main>
      <h1>Shop</h1>
      <button onClick={() => setRegion("north")}>North</button> <button onClick={() => setRegion("south")}>South</button>
      <Visitors />
      <Region name={region} />
    </main>
  );
}

createRoot(document.querySelector("#app")).render(<QueryClientProvider client={new QueryClient()}><Shop /></QueryClientProvider>);
