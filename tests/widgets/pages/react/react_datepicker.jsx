import "react-datepicker/dist/react-datepicker.css";
import { useState } from "react";
import DatePicker from "react-datepicker";
import { createRoot } from "react-dom/client";

const Appointment = () => {
  const [day, setDay] = useState(new Date(2031, 4, 10));
  const [time, setTime] = useState(new Date(2031, 4, 10, 9, 0));
  return (
    <main>
      <h1>Dentist</h1>
      <label htmlFor="day">Day</label>
      <DatePicker id="day" selected={day} onChange={setDay} dateFormat="yyyy-MM-dd" />
      <label htmlFor="time">Time</label>
      <DatePicker
        id="time"
        selected={time}
        onChange={setTime}
        showTimeSelect
        showTimeSelectOnly
        timeIntervals={30}
        dateFormat="HH:mm"
        timeFormat="HH:mm"
      />
    </main>
  );
};

createRoot(document.getElementById("app")).render(<Appointment />);
