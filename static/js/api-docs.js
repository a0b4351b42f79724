// The interactive documentation: Swagger UI from the installed package, on the site's own OpenAPI document.
(() => {
  const place = document.getElementById("api-docs");
  window.SwaggerUIBundle({
    url: place.dataset.openapi,
    domNode: place,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    docExpansion: "list",
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    // Cookies mean nothing to the API; none are sent, so that what is tried here is what a program gets.
    requestInterceptor: (request) => Object.assign(request, { credentials: "omit" }),
  });
})();
