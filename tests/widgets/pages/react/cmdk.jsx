import { Command } from "cmdk";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const Palette = () => {
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState("Nothing was run");
  useEffect(() => {
    const listener = (event) => {
      if (event.key === "k" && event.ctrlKey) {
        event.preventDefault();
        setOpen(true);
      }
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
  const run = (name) => () => {
    setDone(`Ran ${name}`);
    setOpen(false);
  };
  return (
    <main>
      <h1>Project</h1>
      <button onClick={() => setOpen(true)}>Commands</button>
      <p id="done">{done}</p>
      <Command.Dialog open={isOpen} onOpenChange={setOpen} label="Commands" className="palette">
        <Command.Input placeholder="What do you want to do?" />
        <Command.List>
          <Command.Empty>No such command.</Command.Empty>
          <Command.Group heading="Files">
            <Command.Item onSelect={run("new file")}>New file</Command.Item>
            <Command.Item onSelect={run("new folder")}>New folder</Command.Item>
          </Command.Group>
          <Command.Group heading="View">
            <Command.Item onSelect={run("zoom")}>Zoom in</Command.Item>
          </Command.Group>
        </Command.List>
      </Command.Dialog>
      <style>{`[cmdk-overlay] { position: fixed; inset: 0; background: #0006 }
        [cmdk-dialog] { position: fixed; top: 20%; left: 30%; width: 400px; background: white; animation: come 200ms }
        @keyframes come { from { opacity: 0; transform: scale(0.95) } to { opacity: 1; transform: none } }`}</style>
    </main>
  );
};

createRoot(document.getElementById("app")).render(<Palette />);
