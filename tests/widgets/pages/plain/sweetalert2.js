import Swal from "sweetalert2";

document.getElementById("app").innerHTML = `
<h1>Files</h1>
<ul id="files"><li>report.pdf</li><li>photo.jpg</li></ul>
<button id="delete">Delete report</button>
<button id="ask">Rename photo</button>
<button id="note">Copy link</button>`;
const at = (id, listener) => document.getElementById(id).addEventListener("click", listener);
at("delete", async () => {
  const answer = await Swal.fire({
    title: "Delete the report?",
    text: "It cannot be restored.",
    icon: "warning",
    showCancelButton: true,
    confirmButtonText: "Yes, delete it",
  });
  if (!answer.isConfirmed) return;
  document.querySelector("#files li").remove();
  Swal.fire({ title: "Deleted", text: "The report is gone.", icon: "success" });
});
at("ask", async () => {
  const { value } = await Swal.fire({
    title: "New name",
    input: "text",
    inputLabel: "Name of the photo",
    inputValidator: (name) => (name ? undefined : "Please type a name"),
  });
  if (value) document.querySelector("#files li:last-child").textContent = value;
});
at("note", () =>
  Swal.fire({
    toast: true,
    position: "top-end",
    title: "Link copied",
    showConfirmButton: false,
    showCloseButton: true,
  }),
);
