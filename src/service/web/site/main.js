document.getElementById("main").textContent = location.pathname;
