import { written } from '../../../actors/domain/billing/money.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';
import type { Lang } from '../../core/row.ts';
import { html, type Markup, raw, render } from '../../openapi/markup.ts';

/**
 * The two pages that customers see around a payment: the sandbox's payment page, and the page that a
 * provider redirects them to. They look like the console, do not load other files, and always offer a
 * way back. `html` escapes all invoice texts.
 */

const BACK = '/console/billing';

const WORDS = {
  en: {
    product: 'Messaging Gateway',
    invoice: 'Invoice',
    total: 'Total',
    plan: 'Plan',
    test: 'Test payment.',
    testAbout: 'This page stands in for your payment provider. No money moves.',
    pay: (amount: string) => `Pay ${amount}`,
    fail: 'Make it fail',
    wait: 'Keep it pending',
    back: 'Back to the console',
    backUnpaid: 'Back without paying',
    again: 'Check again',
    said: { failed: 'The payment failed. Nothing was charged.', pending: 'The payment is waiting for the bank.', paid: '' },
    states: {
      open: ['Not paid yet', 'A payment can take a few minutes to arrive. You can close this page.'],
      paid: ['Paid, thank you', 'Your plan is active.'],
      expired: ['This invoice has expired', 'Order the plan again in the console.'],
      void: ['Replaced by another invoice', 'Pay the newer one in the console.'],
      refunded: ['Refunded', 'This payment was refunded.'],
      disputed: ['Disputed', 'Your bank is looking into this payment.'],
    },
  },
  id: {
    product: 'Messaging Gateway',
    invoice: 'Faktur',
    total: 'Total',
    plan: 'Paket',
    test: 'Pembayaran uji.',
    testAbout: 'Halaman ini menggantikan penyedia pembayaran Anda. Tidak ada uang yang berpindah.',
    pay: (amount: string) => `Bayar ${amount}`,
    fail: 'Buat gagal',
    wait: 'Biarkan tertunda',
    back: 'Kembali ke konsol',
    backUnpaid: 'Kembali tanpa membayar',
    again: 'Periksa lagi',
    said: { failed: 'Pembayaran gagal. Tidak ada yang ditagih.', pending: 'Pembayaran menunggu bank.', paid: '' },
    states: {
      open: ['Belum dibayar', 'Pembayaran bisa memerlukan beberapa menit. Anda boleh menutup halaman ini.'],
      paid: ['Lunas, terima kasih', 'Paket Anda aktif.'],
      expired: ['Faktur ini kedaluwarsa', 'Pesan paketnya lagi di konsol.'],
      void: ['Digantikan faktur lain', 'Bayar faktur yang lebih baru di konsol.'],
      refunded: ['Dana dikembalikan', 'Jumlahnya sudah dikembalikan.'],
      disputed: ['Dalam sengketa', 'Bank Anda sedang memeriksa pembayaran ini.'],
    },
  },
} as const;

const LOOKS = { open: 'wait', paid: 'good', expired: 'bad', void: 'bad', refunded: 'wait', disputed: 'bad' } as const;

const SHAPES = {
  good: 'M20 6 9 17l-5-5',
  wait: 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0M12 6v6l4 2',
  bad: 'M18 6 6 18M6 6l12 12',
  info: 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0M12 16v-4M12 8h.01',
} as const;

const icon = (name: keyof typeof SHAPES): Markup => html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${SHAPES[name]}"/></svg>`;

export function statePage(invoice: InvoiceRow, payUrl: string | null, lang: Lang): string {
  const t = WORDS[lang];
  const { status } = invoice;
  const [title, about] = t.states[status];
  const pay = payUrl === null ? html`` : html`<a class="button first" href="${payUrl}">${t.pay(amountOf(invoice))}</a>`;
  const again = status === 'open' ? html`<a class="button" href="">${t.again}</a>` : html``;
  const back = html`<a class="${payUrl === null ? 'button first' : 'button plain'}" href="${BACK}">${t.back}</a>`;
  const head = html`<div class="total"><span class="mark ${LOOKS[status]}">${icon(LOOKS[status])}</span><h1>${title}</h1><p class="soft">${about}</p></div>`;
  return page(title, lang, html`${head}<div class="body">${receipt(invoice, lang)}${pay}${again}${back}</div>`);
}

const PRESS = raw(`<script>
for (const button of document.querySelectorAll('button')) button.addEventListener('click', async () => {
  const answer = await fetch(location.href, {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify({outcome: button.value})});
  const told = await answer.json();
  if (told.status === 'paid') location.href = told.return_url;
  else document.querySelector('[role=status]').textContent = button.dataset.said;
});
</script>`);

export function payPage(invoice: InvoiceRow, lang: Lang): string {
  const t = WORDS[lang];
  const amount = amountOf(invoice);
  const number = invoice.number === null ? html`` : html`<span class="meta">${t.invoice} ${invoice.number}</span>`;
  const head = html`<div class="total">${number}<h1>${amount}</h1></div>`;
  const note = html`<p class="note">${icon('info')}<span><b>${t.test}</b> ${t.testAbout}</span></p>`;
  const buttons = html`<button class="button first" value="paid">${t.pay(amount)}</button>
<div class="row"><button class="button plain" value="failed" data-said="${t.said.failed}">${t.fail}</button>
<button class="button plain" value="pending" data-said="${t.said.pending}">${t.wait}</button></div>`;
  const back = html`<a class="button plain" href="${BACK}">${t.backUnpaid}</a>`;
  return page(
    t.pay(amount),
    lang,
    html`${head}<div class="body">${note}${receipt(invoice, lang)}${buttons}<p role="status"></p>${back}</div>${PRESS}`,
  );
}

const amountOf = ({ amount, currency }: InvoiceRow): string => written(amount, currency);

function receipt({ number, plan, lines, amount, currency }: InvoiceRow, lang: Lang): Markup {
  const t = WORDS[lang];
  const rows = [
    ...(number === null ? [] : [[t.invoice, number] as const]),
    [t.plan, plan] as const,
    ...lines.map((line) => [line.text, written(line.amount, currency)] as const),
    [t.total, written(amount, currency)] as const,
  ];
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const STYLE = raw(`<style>
:root{color-scheme:light dark;--frame:light-dark(#f3f5f3,#0b100e);--surface:light-dark(#fff,#161d1a);--hover:light-dark(#eef2ef,#212a27);
--ink:light-dark(#15201b,#e9efec);--ink-2:light-dark(#43504a,#b5c1bc);--ink-3:light-dark(#5a6660,#93a19b);--line:light-dark(#e5e9e6,#252f2b);
--line-2:light-dark(#d3dad6,#35413c);--accent:light-dark(#0b7066,#5fd3c4);--solid:light-dark(#0b7066,#2fb5a5);--on:light-dark(#fff,#03211d);
--good:light-dark(#14653c,#7fdca6);--good-soft:light-dark(#e4f5ea,#11301f);--warn:light-dark(#7a4b00,#f3c570);--warn-soft:light-dark(#fdf2d9,#33270c);
--bad:light-dark(#b0241d,#ffa59b);--bad-soft:light-dark(#fdecea,#3a1a18)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1rem;background:var(--frame);color:var(--ink);
font:400 .875rem/1.25rem system-ui,sans-serif}
main{width:min(27rem,100%);display:grid;gap:1rem}
.brand{display:flex;justify-content:center;align-items:center;gap:.625rem;font-weight:600}
.brand svg{width:1.75rem;height:1.75rem}
.card{overflow:hidden;border:1px solid var(--line);border-radius:1rem;background:var(--surface);
box-shadow:0 1px 2px light-dark(#0f1f1a14,#0008),0 8px 24px -6px light-dark(#0f1f1a26,#000a)}
.total{display:grid;gap:.25rem;justify-items:center;padding:1.5rem 1.5rem 1rem;text-align:center}
h1{margin:0;font-size:1.75rem;line-height:2.125rem;letter-spacing:-.025em;overflow-wrap:anywhere}
p{margin:0}
.meta{color:var(--ink-3)}
.soft{color:var(--ink-2)}
.body{display:grid;gap:.75rem;padding:1rem 1.5rem 1.5rem}
svg{fill:none;stroke:currentcolor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.mark{display:grid;place-items:center;width:3.5rem;height:3.5rem;margin-bottom:.5rem;border-radius:50%}
.mark svg{width:1.75rem;height:1.75rem;stroke-width:2.25}
.mark.good{background:var(--good-soft);color:var(--good)}
.mark.wait{background:var(--warn-soft);color:var(--warn)}
.mark.bad{background:var(--bad-soft);color:var(--bad)}
.note{display:flex;gap:.75rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--warn-soft);color:var(--warn)}
.note svg{flex:none;width:1.25rem;height:1.25rem}
dl{display:grid;gap:.5rem;margin:0;padding-top:1rem;border-top:1px dashed var(--line-2)}
dl div{display:flex;justify-content:space-between;gap:1rem}
dt{color:var(--ink-3);overflow-wrap:anywhere}
dd{margin:0;font-weight:600;text-align:end;overflow-wrap:anywhere}
.button{display:flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.25rem .75rem;border:1px solid var(--line-2);border-radius:.5rem;
background:var(--surface);color:var(--ink);font:600 .875rem/1.25rem system-ui,sans-serif;text-decoration:none;cursor:pointer}
.button.first{border-color:transparent;background:var(--solid);color:var(--on)}
.button.plain{border-color:transparent;background:none;color:var(--ink-2)}
.button:not(.first):hover{background:var(--hover)}
.row{display:grid;grid-template-columns:1fr 1fr;gap:.5rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
[role=status]:empty{display:none}
</style>`);

const BRAND = raw(
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9" fill="#0b7066" stroke="none"/>' +
    '<path d="M8 11a3 3 0 0 1 3-3h10a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3h-6l-5 4v-4.2A3 3 0 0 1 8 18z" fill="#fff" stroke="none"/></svg>',
);

const page = (title: string, lang: Lang, body: Markup): string =>
  render(html`<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${STYLE}</head>
<body><main><div class="brand">${BRAND}${WORDS[lang].product}</div><section class="card">${body}</section></main></body></html>`);
