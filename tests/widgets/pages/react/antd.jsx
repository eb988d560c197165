import {
  App,
  Button,
  Collapse,
  DatePicker,
  Drawer,
  Dropdown,
  Modal,
  Popconfirm,
  Popover,
  Select,
  Switch,
  Table,
  Tabs,
  Tooltip,
} from "antd";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const ROWS = [
  { key: 1, name: "Anna", age: 32 },
  { key: 2, name: "Boris", age: 25 },
  { key: 3, name: "Clara", age: 41 },
];
const COLUMNS = [
  { title: "Name", dataIndex: "name" },
  { title: "Age", dataIndex: "age", sorter: (one, other) => one.age - other.age },
];

const Staff = () => {
  const { message, notification } = App.useApp();
  const [isOpen, setOpen] = useState(false);
  const [isDrawn, setDrawn] = useState(false);
  const [state, setState] = useState("Nobody was dismissed");
  return (
    <main style={{ padding: 24 }}>
      <h1>Staff</h1>
      <Button type="primary" onClick={() => setOpen(true)}>
        Hire
      </Button>
      <Modal
        title="Hire a person"
        open={isOpen}
        onOk={() => setOpen(false)}
        onCancel={() => setOpen(false)}
        okText="Hire them"
      >
        <p>They begin on Monday.</p>
      </Modal>
      <Button onClick={() => setDrawn(true)}>Details</Button>
      <Drawer title="About the team" open={isDrawn} onClose={() => setDrawn(false)}>
        <p>Founded by three friends.</p>
      </Drawer>
      <Button onClick={() => message.open({ content: "Payroll was started", duration: 3 })}>Pay</Button>
      <Button
        onClick={() =>
          notification.open({ title: "Holiday", description: "The office is closed on Friday.", duration: 0 })
        }
      >
        Announce
      </Button>
      <Popconfirm
        title="Dismiss Boris?"
        okText="Dismiss"
        cancelText="No"
        onConfirm={() => setState("Boris was dismissed")}
      >
        <Button danger>Dismiss</Button>
      </Popconfirm>
      <Dropdown
        menu={{
          items: [
            { key: 1, label: "Export as text" },
            { key: 2, label: "Export as table" },
          ],
        }}
      >
        <Button>Export</Button>
      </Dropdown>
      <Tooltip title="Only managers see this">
        <Button>Salaries</Button>
      </Tooltip>
      <Popover content="Ask Clara about it." title="Questions" trigger="click">
        <Button>Help</Button>
      </Popover>
      <p id="state">{state}</p>
      <Select
        showSearch
        aria-label="Team"
        style={{ width: 200 }}
        placeholder="Choose a team"
        options={["Sales", "Support", "Design"].map((value) => ({ value, label: value }))}
      />
      <DatePicker aria-label="First day" />
      <Switch aria-label="Remote" />
      <Tabs
        items={[
          { key: "1", label: "Present", children: "Two are at their desks." },
          { key: "2", label: "Absent", children: "One is on leave." },
        ]}
      />
      <Collapse items={[{ key: "1", label: "Rules", children: <p>Lunch is at noon.</p> }]} />
      <Table dataSource={ROWS} columns={COLUMNS} pagination={false} rowSelection={{}} />
    </main>
  );
};

createRoot(document.getElementById("app")).render(
  <App>
    <Staff />
  </App>,
);
