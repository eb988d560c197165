import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Autocomplete,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Drawer,
  IconButton,
  Menu,
  MenuItem,
  Select,
  Snackbar,
  Switch,
  Tab,
  Tabs,
  TextField,
  Tooltip,
} from "@mui/material";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const Opened = ({ name, children }) => {
  const [anchor, setAnchor] = useState(null);
  return (
    <>
      <Button onClick={(event) => setAnchor(event.currentTarget)}>{name}</Button>
      {children(anchor, () => setAnchor(null))}
    </>
  );
};

const Settings = () => {
  const [tab, setTab] = useState(0);
  const [size, setSize] = useState("Medium");
  const [isDark, setDark] = useState(false);
  return (
    <main>
      <h1>Settings</h1>
      <Opened name="Leave team">
        {(anchor, close) => (
          <Dialog open={!!anchor} onClose={close}>
            <DialogTitle>Leave this team?</DialogTitle>
            <DialogContent>You lose access to its files.</DialogContent>
            <DialogActions>
              <Button onClick={close}>Stay</Button>
              <Button onClick={close}>Leave now</Button>
            </DialogActions>
          </Dialog>
        )}
      </Opened>
      <Opened name="Profile menu">
        {(anchor, close) => (
          <Menu anchorEl={anchor} open={!!anchor} onClose={close}>
            <MenuItem onClick={close}>Your account</MenuItem>
            <MenuItem onClick={close}>Sign out</MenuItem>
          </Menu>
        )}
      </Opened>
      <Opened name="Show help">
        {(anchor, close) => (
          <Drawer anchor="right" open={!!anchor} onClose={close}>
            <h2>Help topics</h2>
            <p>Invoices, members and limits.</p>
            <Button onClick={close}>Close help</Button>
          </Drawer>
        )}
      </Opened>
      <Opened name="Send invitation">
        {(anchor, close) => (
          <Snackbar
            open={!!anchor}
            message="Invitation sent"
            action={
              <Button color="inherit" onClick={close}>
                Undo
              </Button>
            }
          />
        )}
      </Opened>
      <Tooltip title="Permanently remove everything" enterDelay={400}>
        <IconButton aria-label="Erase">✕</IconButton>
      </Tooltip>
      <Tabs value={tab} onChange={(_, value) => setTab(value)}>
        <Tab label="General" />
        <Tab label="Security" />
      </Tabs>
      <p>{tab ? "Two-step sign-in is off." : "Your language is English."}</p>
      <Accordion>
        <AccordionSummary>Advanced</AccordionSummary>
        <AccordionDetails>Export all of your data as a file.</AccordionDetails>
      </Accordion>
      <Select value={size} onChange={(event) => setSize(event.target.value)} inputProps={{ "aria-label": "Size" }}>
        {["Small", "Medium", "Large"].map((each) => (
          <MenuItem key={each} value={each}>
            {each}
          </MenuItem>
        ))}
      </Select>
      <Autocomplete
        options={["Lisbon", "London", "Lima", "Oslo"]}
        renderInput={(parameters) => <TextField {...parameters} label="City" />}
      />
      <label>
        <Switch checked={isDark} onChange={(event) => setDark(event.target.checked)} /> Dark mode
      </label>
    </main>
  );
};

createRoot(document.getElementById("app")).render(<Settings />);
