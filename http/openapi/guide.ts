import { html, type Markup } from './markup.ts';

export const steps = (address: string): readonly (readonly [en: string, id: string, code: string])[] => [
  [
    'Sign up. The phone receives a one-time code',
    'Daftar. Ponsel menerima kode sekali pakai',
    `curl -s ${address}/auth/register --json '{"name": "Toko Acme", "phone": "+6281234567890"}'`,
  ],
  [
    'Read the code on the sandbox phone and sign in with it',
    'Baca kode di ponsel sandbox, lalu masuk dengan kode itu',
    `CODE=$(curl -s ${address}/sandbox/phones/6281234567890/messages | grep -oE '\\b[0-9]{6}\\b' | head -n 1)
TOKEN=$(curl -s ${address}/auth/verify-otp --json '{"phone": "+6281234567890", "code": "'$CODE'"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
  ],
  [
    'Create a device and start linking it',
    'Buat perangkat, lalu mulai tautkan',
    `ID=$(curl -s -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions --json '{"name": "Shop"}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -X POST -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions/$ID/connect`,
  ],
  [
    'Scan the QR code with a sandbox phone',
    'Pindai kode QR dengan ponsel sandbox',
    `QR=$(curl -s -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions/$ID/qr | sed 's/.*"qr":"\\([^"]*\\)".*/\\1/')
curl -s ${address}/sandbox/phones/6281100000001/scan --json '{"qr": "'$QR'"}'`,
  ],
  [
    'Send a message to Anna',
    'Kirim pesan kepada Anna',
    `curl -s -H "Authorization: Bearer $TOKEN" ${address}/v1/sessions/$ID/messages --json '{"chat_id": "+6281211110001", "type": "text", "body": "Hello Anna!"}'`,
  ],
  [
    'Reply as Anna, and read the reply in the log',
    'Balas sebagai Anna dan baca jawabannya di log',
    `curl -s ${address}/sandbox/phones/6281211110001/messages --json '{"to": "6281100000001", "body": "Hello!"}'
curl -s -H "Authorization: Bearer $TOKEN" "${address}/v1/sessions/$ID/messages?direction=inbound"`,
  ],
];

interface Both {
  readonly en: string;
  readonly id: string;
}

const LIMITS: readonly (readonly [what: Both, limit: Both])[] = [
  [
    { en: 'Requests per API key', id: 'Permintaan per kunci API' },
    {
      en: "300 per minute, or the key's own limit, up to the plan's maximum. Logins are not limited",
      id: '300 per menit, atau sesuai batas kunci, hingga maksimum paket. Login tidak dibatasi',
    },
  ],
  [
    { en: 'Sends', id: 'Pengiriman' },
    { en: "The plan's limit per minute (30 on Free)", id: 'Batas paket per menit (30 pada paket Free)' },
  ],
  [
    {
      en: 'Number validation · scheduled messages · new campaigns · bulk calls',
      id: 'Validasi nomor · pesan terjadwal · kampanye baru · panggilan massal',
    },
    { en: '10 · 20 · 5 · 3 per minute', id: '10 · 20 · 5 · 3 per menit' },
  ],
  [
    { en: 'One-time codes', id: 'Kode sekali pakai' },
    { en: '5 in 15 minutes for each phone', id: '5 dalam 15 menit untuk setiap nomor' },
  ],
  [
    { en: 'If you exceed a limit', id: 'Jika melewati batas' },
    {
      en: '429 RATE_LIMITED with Retry-After in seconds. Wait that long, then try again',
      id: '429 RATE_LIMITED dengan Retry-After dalam detik. Tunggu selama itu, lalu coba lagi',
    },
  ],
];

const TITLES = {
  'quick-start': { en: 'Quick start', id: 'Mulai cepat' },
  webhooks: { en: 'Webhooks', id: 'Webhook' },
  limits: { en: 'Limits', id: 'Batas' },
  events: { en: 'Events', id: 'Kejadian' },
  errors: { en: 'Errors', id: 'Galat' },
} as const;

export const both = (en: Markup | string, id: Markup | string): Markup => html`<div lang="en">${en}</div><div lang="id">${id}</div>`;

const words = ({ en, id }: Both): Markup => html`<span lang="en">${en}</span> <span lang="id">${id}</span>`;

export const sectionTitle = (part: keyof typeof TITLES): Markup => words(TITLES[part]);

export function guide(address: string): Markup {
  return html`<section id="quick-start"><h2>${sectionTitle('quick-start')}</h2>
${both(
  html`<p>Sign up, send a message and read the reply on the sandbox network, with curl.</p>`,
  html`<p>Daftar, kirim pesan, dan baca jawabannya di jaringan sandbox, dengan curl.</p>`,
)}
<ol>${steps(address).map(([en, id, code]) => html`<li>${words({ en, id })}<pre tabindex="0">${code}</pre></li>`)}</ol></section>
<section id="webhooks"><h2>${sectionTitle('webhooks')}</h2>
${both(
  html`<p>Each delivery is a POST with <code>X-Webhook-Signature</code>: <code>sha256=</code> and the base64 HMAC-SHA256 of the raw body
with the secret of the webhook. Compare it in constant time, answer with any 2xx within ten seconds, remember <code>X-Webhook-ID</code> because an event may
arrive twice, and order by <code>occurred_at</code>. After any other response, the delivery is retried after 30 seconds, 2 minutes, 10 minutes and 1 hour.</p>`,
  html`<p>Setiap kiriman adalah POST dengan <code>X-Webhook-Signature</code>: <code>sha256=</code> dan HMAC-SHA256 (base64) dari isi mentah
dengan rahasia webhook itu. Bandingkan dalam waktu konstan, jawab dengan 2xx dalam sepuluh detik, ingat <code>X-Webhook-ID</code> karena satu kejadian dapat
datang dua kali, dan urutkan menurut <code>occurred_at</code>. Jika responsnya lain, kiriman dicoba lagi setelah 30 detik, 2 menit, 10 menit, dan 1 jam.</p>`,
)}</section>
<section id="limits"><h2>${sectionTitle('limits')}</h2><table>${LIMITS.map(([what, limit]) => html`<tr><td>${words(what)}</td><td>${words(limit)}</td></tr>`)}</table></section>`;
}
