import type { JSX } from 'preact';
import { wordsOf } from '../words/words.ts';
import { Check } from './check.tsx';
import { Dialog } from './dialog.tsx';
import { areKeysOn, chooseKeys } from './keys.ts';

const words = wordsOf({
  en: {
    title: 'Keyboard shortcuts',
    single: 'Single-key shortcuts',
    singleHint: 'They are off while you type.',
    close: 'Close',
    groups: {
      everywhere: 'Everywhere',
      go: 'Go to',
      inbox: 'Inbox',
    },
    does: {
      palette: 'Search or jump to',
      list: 'This list',
      menu: 'Show icons only, or names',
      compose: 'New conversation, if the page has one',
      home: 'Home',
      inbox: 'Inbox',
      people: 'People',
      campaigns: 'Campaigns',
      reports: 'Reports',
      settings: 'Settings',
      next: 'Next chat',
      previous: 'Previous chat',
      resolve: 'Resolve, or reopen',
      assign: 'Assign to me',
      reply: 'Reply to the last message',
      search: 'Search chats',
      panel: 'Details',
    },
  },
  id: {
    title: 'Pintasan papan ketik',
    single: 'Pintasan satu tombol',
    singleHint: 'Tidak berlaku saat Anda mengetik.',
    close: 'Tutup',
    groups: {
      everywhere: 'Di mana saja',
      go: 'Buka',
      inbox: 'Kotak masuk',
    },
    does: {
      palette: 'Cari atau buka',
      list: 'Daftar ini',
      menu: 'Tampilkan ikon saja, atau nama',
      compose: 'Percakapan baru, jika tersedia di halaman',
      home: 'Beranda',
      inbox: 'Kotak masuk',
      people: 'Orang',
      campaigns: 'Kampanye',
      reports: 'Laporan',
      settings: 'Setelan',
      next: 'Percakapan berikutnya',
      previous: 'Percakapan sebelumnya',
      resolve: 'Selesaikan, atau buka lagi',
      assign: 'Tugaskan ke saya',
      reply: 'Balas pesan terakhir',
      search: 'Cari percakapan',
      panel: 'Rincian',
    },
  },
});

type Does = keyof ReturnType<typeof words>['does'];

const GROUPS = {
  everywhere: [
    ['Ctrl K', 'palette'],
    ['?', 'list'],
    ['[', 'menu'],
    ['N', 'compose'],
  ],
  go: [
    ['G H', 'home'],
    ['G I', 'inbox'],
    ['G P', 'people'],
    ['G C', 'campaigns'],
    ['G R', 'reports'],
    ['G S', 'settings'],
  ],
  inbox: [
    ['J', 'next'],
    ['K', 'previous'],
    ['E', 'resolve'],
    ['A', 'assign'],
    ['R', 'reply'],
    ['/', 'search'],
    [']', 'panel'],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [keys: string, does: Does])[]>>;

const NAMES = ['everywhere', 'go', 'inbox'] as const;

export function KeyList({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const t = words();
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <div class="stack" data-testid="key-list">
        <Check label={t.single} hint={t.singleHint} isOn={areKeysOn.value} onChange={chooseKeys} />
        {NAMES.map((group) => (
          <section key={group} class="stack-small" aria-label={t.groups[group]}>
            <h3>{t.groups[group]}</h3>
            <dl class="pairs">
              {GROUPS[group].map(([keys, does]) => (
                <div key={keys}>
                  <dt>{t.does[does]}</dt>
                  <dd>
                    {keys.split(' ').map((one) => (
                      <kbd key={one}>{one}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="dialog-end">
        <button type="button" class="button" onClick={onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  );
}
