import {
  Accordion,
  AlertDialog,
  Dialog,
  DropdownMenu,
  HoverCard,
  Popover,
  Select,
  Switch,
  Tabs,
  Toast,
  Tooltip,
} from "radix-ui";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const STYLE = `
@keyframes appear { from { opacity: 0; transform: scale(0.96) } to { opacity: 1; transform: none } }
@keyframes vanish { from { opacity: 1 } to { opacity: 0 } }
@keyframes grow { from { height: 0 } to { height: var(--radix-accordion-content-height) } }
@keyframes shrink { from { height: var(--radix-accordion-content-height) } to { height: 0 } }
.layer { background: white; border: 1px solid; padding: 12px }
.layer[data-state="open"], .layer[data-state="delayed-open"] { animation: appear 250ms ease-out }
.layer[data-state="closed"] { animation: vanish 250ms ease-in }
.centre { position: fixed; top: 30%; left: 40% }
.shade { position: fixed; inset: 0; background: #0008 }
.answer { overflow: hidden } .answer[data-state="open"] { animation: grow 300ms } .answer[data-state="closed"] { animation: shrink 300ms }
.toasts { position: fixed; bottom: 0; right: 0; list-style: none }`;

const Page = () => {
  const [isToasted, setToasted] = useState(false);
  return (
    <Tooltip.Provider delayDuration={400}>
      <Toast.Provider duration={60000}>
        <style>{STYLE}</style>
        <h1>Library</h1>
        <Dialog.Root>
          <Dialog.Trigger>Lend a book</Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Overlay className="shade" />
            <Dialog.Content className="layer centre">
              <Dialog.Title>Who borrows it?</Dialog.Title>
              <Dialog.Description>It is due in four weeks.</Dialog.Description>
              <input aria-label="Borrower" />
              <Dialog.Close>Never mind</Dialog.Close>
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
        <AlertDialog.Root>
          <AlertDialog.Trigger>Burn the library</AlertDialog.Trigger>
          <AlertDialog.Portal>
            <AlertDialog.Overlay className="shade" />
            <AlertDialog.Content className="layer centre">
              <AlertDialog.Title>Are you certain?</AlertDialog.Title>
              <AlertDialog.Description>Books do not come back.</AlertDialog.Description>
              <AlertDialog.Cancel>Put the match away</AlertDialog.Cancel>
            </AlertDialog.Content>
          </AlertDialog.Portal>
        </AlertDialog.Root>
        <DropdownMenu.Root>
          <DropdownMenu.Trigger>Shelf</DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className="layer">
              <DropdownMenu.Item>Sort by author</DropdownMenu.Item>
              <DropdownMenu.Sub>
                <DropdownMenu.SubTrigger>Move to</DropdownMenu.SubTrigger>
                <DropdownMenu.Portal>
                  <DropdownMenu.SubContent className="layer">
                    <DropdownMenu.Item>The cellar</DropdownMenu.Item>
                  </DropdownMenu.SubContent>
                </DropdownMenu.Portal>
              </DropdownMenu.Sub>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
        <Popover.Root>
          <Popover.Trigger>Opening hours</Popover.Trigger>
          <Popover.Portal>
            <Popover.Content className="layer">
              Nine to five, not on Sundays. <Popover.Close>Got it</Popover.Close>
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
        <Tooltip.Root>
          <Tooltip.Trigger>Fines</Tooltip.Trigger>
          <Tooltip.Portal>
            <Tooltip.Content className="layer">Ten cents a day</Tooltip.Content>
          </Tooltip.Portal>
        </Tooltip.Root>
        <HoverCard.Root openDelay={300} closeDelay={300}>
          <HoverCard.Trigger href="#ada">Ada Byron</HoverCard.Trigger>
          <HoverCard.Portal>
            <HoverCard.Content className="layer">Reader since 1832</HoverCard.Content>
          </HoverCard.Portal>
        </HoverCard.Root>
        <Select.Root defaultValue="novels">
          <Select.Trigger aria-label="Section">
            <Select.Value />
          </Select.Trigger>
          <Select.Portal>
            <Select.Content className="layer">
              <Select.Viewport>
                {["novels", "poems", "maps"].map((each) => (
                  <Select.Item key={each} value={each}>
                    <Select.ItemText>{each}</Select.ItemText>
                  </Select.Item>
                ))}
              </Select.Viewport>
            </Select.Content>
          </Select.Portal>
        </Select.Root>
        <label>
          <Switch.Root aria-label="Reading lamp">
            <Switch.Thumb />
          </Switch.Root>
        </label>
        <Accordion.Root type="single" collapsible>
          <Accordion.Item value="1">
            <Accordion.Header>
              <Accordion.Trigger>May I eat here?</Accordion.Trigger>
            </Accordion.Header>
            <Accordion.Content className="answer">Only apples, and quietly.</Accordion.Content>
          </Accordion.Item>
        </Accordion.Root>
        <Tabs.Root defaultValue="new">
          <Tabs.List>
            <Tabs.Trigger value="new">New books</Tabs.Trigger>
            <Tabs.Trigger value="old">Old books</Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="new">Seven arrived this week.</Tabs.Content>
          <Tabs.Content value="old">The oldest is from 1641.</Tabs.Content>
        </Tabs.Root>
        <button onClick={() => setToasted(true)}>Return a book</button>
        <Toast.Root className="layer" open={isToasted} onOpenChange={setToasted}>
          <Toast.Title>Thank you for returning it</Toast.Title>
          <Toast.Close>Dismiss</Toast.Close>
        </Toast.Root>
        <Toast.Viewport className="toasts" />
      </Toast.Provider>
    </Tooltip.Provider>
  );
};

createRoot(document.getElementById("app")).render(<Page />);
