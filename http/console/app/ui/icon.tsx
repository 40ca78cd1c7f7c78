import type { JSX } from 'preact';

/** Paths in a box of 24, drawn with a line of 1.8. */
const SHAPES = {
  home: 'M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5h-5v5H5a1 1 0 0 1-1-1z',
  phone: 'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zm3 15h2',
  chat: 'M5 6.5A1.5 1.5 0 0 1 6.5 5h11A1.5 1.5 0 0 1 19 6.5v8a1.5 1.5 0 0 1-1.5 1.5H11l-4.5 3.5V16A1.5 1.5 0 0 1 5 14.5z',
  nodes:
    'M12 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-6 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm12 0a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM11 8.5 7.5 15.5m5.5-7 3.5 7',
  people: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6 9a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M17.5 14.5A6 6 0 0 1 21 20',
  bill: 'M6 3h12v18l-3-2-3 2-3-2-3 2zm3 5h6M9 12h6',
  note: 'M6 3.5h8l4 4V20a.5.5 0 0 1-.5.5h-11A.5.5 0 0 1 6 20zM14 3.5v4h4M9 12h6M9 15.5h6',
  shop: 'M4 9.5 5.5 4h13L20 9.5a2.7 2.7 0 0 1-5.3 0 2.7 2.7 0 0 1-5.4 0 2.7 2.7 0 0 1-5.3 0zM5.5 12.5V20h13v-7.5M10 20v-4.5h4V20',
  chart: 'M4 20V4m0 16h16M8.5 16.5v-5m4 5v-9m4 9v-3',
  shield: 'M12 3.5 19 6v5.5c0 4.2-2.8 7.4-7 9-4.2-1.6-7-4.8-7-9V6zm-3 8.5 2.2 2.2L15 10',
  spark: 'M11 4.5 12.8 10l5.7 1.8-5.7 1.8L11 19l-1.8-5.4-5.7-1.8L9.2 10zM18.5 4v4m-2-2h4',
  list: 'M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01',
  sliders: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-6 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  clip: 'm20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7L9.2 17a1.7 1.7 0 0 1-2.4-2.4L14.5 7',
  send: 'M4 5.5 20.5 12 4 18.5 6.5 12zm2.5 6.5H13',
  voice: 'M12 14.5a3 3 0 0 0 3-3V6.5a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3zM6 11.5a6 6 0 0 0 12 0M12 17.5v3',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2',
  hook: 'M12 3v8m0 0a4.5 4.5 0 1 1-4.5 4.5M12 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  funnel: 'M4 5.5h16l-6 7.5v5.5l-4 2V13z',
  key: 'M15 9h.01M10.5 12.5a5 5 0 1 1 2 2L11 16H9v2H7v2H4v-3z',
} as const;

export type IconName = keyof typeof SHAPES;

/** A drawing beside words that say the same; nobody hears it. */
export const Icon = ({ name }: { readonly name: IconName }): JSX.Element => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={SHAPES[name]} />
  </svg>
);
