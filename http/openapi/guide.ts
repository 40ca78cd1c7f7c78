import { html, type Markup } from './markup.ts';

/** The first answered message, step by step: `owner` signs up, `shop` is linked, Anna answers. */
export const steps = (address: string): readonly (readonly [en: string, id: string, code: string])[] => [
  [
    'Sign up. The phone receives a one-time code',
    'Daftar. Ponsel menerima kode sekali pakai',
    `curl -s ${address}/auth/register --json '{"name": "Toko Acme", "phone": "+6281234567890"}'`,
  ],
  [
    'Read the code on the sandbox phone, and sign in with it',
    'Baca kode di ponsel sandbox, lalu masuk dengannya',
    `CODE=$(curl -s ${address}/sandbox/phones/6281234567890/messages | grep -oE '\\b[0-9]{6}\\b' | head -n 1)
TOKEN=$(curl -s ${address}/auth/verify-otp --json '{"phone": "+6281234567890", "code": "'$CODE'"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
  ],
  [
    'Create a device, and start linking it',
    'Buat perangkat, dan mulai menautkannya',
    `ID=$(curl -s -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions --json '{"name": "Shop"}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -X POST -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions/$ID/connect`,
  ],
  [
    'Let a sandbox phone scan the QR code',
    'Biarkan ponsel sandbox memindai kode QR',
    `QR=$(curl -s -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions/$ID/qr | sed 's/.*"qr":"\\([^"]*\\)".*/\\1/')
curl -s ${address}/sandbox/phones/6281100000001/scan --json '{"qr": "'$QR'"}'`,
  ],
  [
    'Send a message to Anna',
    'Kirim pesan kepada Anna',
    `curl -s -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions/$ID/messages --json '{"chat_id": "+6281211110001", "type": "text", "body": "Hello Anna!"}'`,
  ],
  [
    'Anna answers, and the answer is in the log',
    'Anna menjawab, dan jawabannya ada di log',
    `curl -s ${address}/sandbox/phones/6281211110001/messages --json '{"to": "6281100000001", "body": "Hello!"}'
curl -s -H "Authorization: Bearer $TOKEN" "${address}/v1/sessions/$ID/messages?direction=inbound"`,
  ],
];

const LIMITS: readonly (readonly [what: string, limit: string])[] = [
  ['Requests of an API key', '300 a minute, or what the key says, up to what the plan allows; logins are free of it'],
  ['Sends', 'what the plan allows a minute (30 on Free)'],
  ['Number validation · scheduled messages · new campaigns · bulk calls', '10 · 20 · 5 · 3 a minute'],
  ['One-time codes', '5 in 15 minutes for each phone'],
  ['Over a limit', '429 RATE_LIMITED with Retry-After in seconds; waiting that long suffices'],
];

/** What precedes the reference. */
export function guide(address: string): Markup {
  return html`<section id="quick-start"><h2>Quick start</h2>
<p>From nothing to an answered message on the sandbox network, with curl.</p><p lang="id">Dari nol sampai pesan yang dijawab di jaringan sandbox, dengan curl.</p>
<ol>${steps(address).map(([en, id, code]) => html`<li>${en}. <i lang="id">${id}.</i><pre tabindex="0">${code}</pre></li>`)}</ol></section>
<section id="webhooks"><h2>Webhooks</h2><p>Each delivery is a POST with <code>X-Webhook-Signature</code>: <code>sha256=</code> and the base64 HMAC-SHA256 of the raw body
with the secret of the webhook. Compare it in constant time, answer with any 2xx within ten seconds, remember <code>X-Webhook-ID</code> because an event may
arrive twice, and order by <code>occurred_at</code>. Anything else is tried again after 30 seconds, 2 minutes, 10 minutes and 1 hour.</p>
<p lang="id">Setiap kiriman ditandatangani. Periksa tanda tangan atas isi mentah, jawab 2xx dalam sepuluh detik, dan abaikan peristiwa yang datang dua kali.</p></section>
<section id="limits"><h2>Limits</h2><table>${LIMITS.map(([what, limit]) => html`<tr><td>${what}</td><td>${limit}</td></tr>`)}</table></section>`;
}
