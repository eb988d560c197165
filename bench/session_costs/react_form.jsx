import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Autocomplete,
  Button,
  Checkbox,
  FormControlLabel,
  MenuItem,
  Radio,
  RadioGroup,
  Slider,
  Switch,
  TextField,
} from "@mui/material";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const COUNTRIES = Array.from({ length: 200 }, (_, index) => `Country ${index + 1}`);

// One person of a form that a clerk fills in: every field is controlled, so that each key renders it anew.
const Person = ({ number }) => {
  const [values, setValues] = useState({ name: "", email: "", kind: "standard", country: null, age: 30 });
  const set = (key) => (event) => setValues({ ...values, [key]: event.target.value });
  return (
    <Accordion defaultExpanded>
      <AccordionSummary>Person {number}</AccordionSummary>
      <AccordionDetails>
        <TextField label={`Name ${number}`} value={values.name} onChange={set("name")} error={values.name === "?"} />
        <TextField label={`Email ${number}`} value={values.email} onChange={set("email")} />
        <TextField label={`Kind ${number}`} select value={values.kind} onChange={set("kind")}>
          <MenuItem value="standard">Standard</MenuItem>
          <MenuItem value="express">Express</MenuItem>
        </TextField>
        <Autocomplete
          options={COUNTRIES}
          value={values.country}
          onChange={(_, country) => setValues({ ...values, country })}
          renderInput={(props) => <TextField {...props} label={`Country ${number}`} />}
        />
        <RadioGroup row>
          <FormControlLabel value="post" control={<Radio />} label="Post" />
          <FormControlLabel value="mail" control={<Radio />} label="Mail" />
        </RadioGroup>
        <FormControlLabel control={<Checkbox />} label={`Terms ${number}`} />
        <FormControlLabel control={<Switch />} label={`News ${number}`} />
        <Slider value={values.age} onChange={(_, age) => setValues({ ...values, age })} aria-label={`Age ${number}`} />
      </AccordionDetails>
    </Accordion>
  );
};

const Form = () => {
  const [presses, setPresses] = useState(0);
  return (
    <main>
      <h1>Passengers</h1>
      <Button variant="contained" onClick={() => setPresses(presses + 1)}>
        Press me
      </Button>
      <output>{presses}</output>
      {Array.from({ length: 20 }, (_, index) => (
        <Person key={index} number={index + 1} />
      ))}
    </main>
  );
};

document.cookie = "login=0123456789abcdef0123456789abcdef; max-age=86400; path=/";
localStorage.setItem("draft", JSON.stringify(COUNTRIES));
createRoot(document.getElementById("app")).render(<Form />);
