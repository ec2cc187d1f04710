// Starts `progtf lsp` when a .seme file is opened.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("seme").get("command");
  const selector = { documentSelector: [{ language: "seme" }] };
  client = new LanguageClient("seme", "Seme", { command, args }, selector);
  await client.start();
};

exports.deactivate = () => client?.stop();
