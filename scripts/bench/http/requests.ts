const BODY_BYTES = 296;
const RECIPIENTS = 1_000;

export function sendRequests(path: string, headers: Readonly<Record<string, string>> = {}): readonly string[] {
  return Array.from({ length: RECIPIENTS }, (_, i) => postRequest(path, sendBody(`+62812${1_000_000 + i}`), headers));
}

export const getRequest = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines(headers)}\r\n`;

function sendBody(chatId: string): string {
  const empty = JSON.stringify({ chat_id: chatId, type: 'text', body: '' });
  return JSON.stringify({
    chat_id: chatId,
    type: 'text',
    body: 'Your order is on its way. '.repeat(12).slice(0, BODY_BYTES - empty.length),
  });
}

export function postRequest(path: string, body: string, headers: Readonly<Record<string, string>>): string {
  const all = { ...headers, 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines(all)}\r\n${body}`;
}

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
