import { createRoot } from "react-dom/client";
import { Toaster, toast } from "sonner";

const later = (value) => new Promise((resolve) => setTimeout(resolve, 400, value));

createRoot(document.getElementById("app")).render(
  <main>
    <h1>Events</h1>
    <button onClick={() => toast("Event was created", { duration: Infinity, closeButton: true })}>Create event</button>
    <button
      onClick={() =>
        toast("Event was deleted", {
          duration: Infinity,
          action: {
            label: "Undo",
            onClick: () => toast.success("Event is back", { duration: Infinity, closeButton: true }),
          },
        })
      }
    >
      Delete event
    </button>
    <button
      onClick={() =>
        toast.promise(later(), {
          loading: "Uploading",
          success: "Upload finished",
          duration: Infinity,
          closeButton: true,
        })
      }
    >
      Upload
    </button>
    <Toaster position="top-right" />
  </main>,
);
