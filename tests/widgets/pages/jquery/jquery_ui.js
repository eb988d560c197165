import "jquery-ui/dist/themes/base/jquery-ui.css";
import "./jquery.js";
import "jquery-ui/dist/jquery-ui.js";

const $ = window.jQuery;
$("#app").html(`
<h1>Party</h1>
<button id="invite">Invite</button>
<div id="dialog" title="Invite a guest"><p>There are two seats left.</p></div>
<div id="plans"><h3>Food</h3><div><p>Soup and bread.</p></div><h3>Music</h3><div><p>A string quartet.</p></div></div>
<div id="tabs"><ul><li><a href="#one">Guests</a></li><li><a href="#two">Gifts</a></li></ul><div id="one">Eleven have said yes.</div><div id="two">Books, please.</div></div>
<p><label>Day <input id="day"></label></p>
<p><label>Wine <input id="wine"></label></p>
<p><button id="map" title="Behind the old mill">Where?</button></p>
<ul id="order" style="list-style: none; width: 200px"><li>Speech</li><li>Dinner</li><li>Dance</li></ul>`);
$("#dialog").dialog({
  autoOpen: false,
  modal: true,
  show: { effect: "fade", duration: 300 },
  hide: { effect: "fade", duration: 300 },
  buttons: {
    "Another time": function () {
      $(this).dialog("close");
    },
  },
});
$("#invite").on("click", () => $("#dialog").dialog("open"));
$("#plans").accordion({ collapsible: true, animate: 300, heightStyle: "content" });
$("#tabs").tabs({ show: { effect: "fade", duration: 200 }, hide: { effect: "fade", duration: 200 } });
$("#day").datepicker({
  defaultDate: new Date(2031, 4, 10),
  dateFormat: "yy-mm-dd",
  showAnim: "slideDown",
  duration: 300,
});
$("#wine").autocomplete({ source: ["Merlot", "Malbec", "Riesling"], delay: 300 });
$("#map").tooltip({ show: { effect: "fade", delay: 200, duration: 200 } });
$("#order").sortable();
