import { isRecord, memberOf } from '../../runtime/shapes.ts';

/**
 * Interactive messages of the vendor's platform. Callers pass the vendor's own object, whose limits
 * are checked here before it is sent. The header file is added when the message is sent.
 */

export const INTERACTIVE_TYPES = [
  ...(['button', 'list', 'cta_url', 'location_request_message', 'flow', 'product', 'product_list', 'catalog_message'] as const),
] as const;

export interface Interactive {
  readonly type: (typeof INTERACTIVE_TYPES)[number];
  readonly header?: { readonly type: 'text'; readonly text: string };
  readonly body?: { readonly text: string };
  readonly footer?: { readonly text: string };
  readonly action: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

export interface InteractiveFault {
  readonly path: string;
  readonly en: string;
  readonly id: string;
}

const MAX_LENGTH = 16_384;
const MAX_BODY = 1_024;
const MAX_LIST_BODY = 4_096;
const MAX_BUTTONS = 3;
const MAX_ROWS = 10;
const LENGTHS = { title: 20, buttonId: 256, rowTitle: 24, rowId: 200, description: 72, url: 2_000, id: 256 } as const;

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
};

type Found = readonly InteractiveFault[];

const wrong = (path: string, en: string, id: string): Found => [{ path: `interactive.${path}`, en, id }];

function text(at: unknown, path: string, name: string, most: number, isRequired = true): Found {
  const given = memberOf(at, name);
  if (given === undefined && !isRequired) return [];
  if (typeof given === 'string' && given.trim() !== '' && given.length <= most) return [];
  return wrong(`${path}.${name}`, `must be a text of 1 to ${most} characters`, `harus berupa teks 1 sampai ${most} karakter`);
}

const count = (list: readonly unknown[], path: string, most: number): Found =>
  list.length >= 1 && list.length <= most ? [] : wrong(path, `must have 1 to ${most} entries`, `harus berisi 1 sampai ${most} entri`);

const different = (ids: readonly unknown[], path: string): Found =>
  new Set(ids).size < ids.length ? wrong(path, 'must have different ids', 'harus memiliki id yang berbeda') : [];

const value = (at: unknown, path: string, name: string, wanted: string): Found =>
  memberOf(at, name) === wanted ? [] : wrong(`${path}.${name}`, `must be "${wanted}"`, `harus berupa "${wanted}"`);

export function faultsOfInteractive({ type, body, action, ...rest }: Interactive): Found {
  const isLong = JSON.stringify({ action, ...rest }).length > MAX_LENGTH;
  const isBare = type === 'product' && body === undefined;
  return [
    ...(isLong ? wrong('action', 'is too long', 'terlalu panjang') : []),
    ...(isBare ? [] : text(body, 'body', 'text', type === 'list' ? MAX_LIST_BODY : MAX_BODY)),
    ...ACTIONS[type](action),
  ];
}

const ACTIONS: Readonly<Record<Interactive['type'], (action: Fields) => Found>> = {
  button(action) {
    const buttons = listIn(action, 'buttons');
    const ids = buttons.map((button) => memberOf(memberOf(button, 'reply'), 'id'));
    return [
      ...count(buttons, 'action.buttons', MAX_BUTTONS),
      ...buttons.flatMap((button, nth) => [
        ...value(button, `action.buttons.${nth}`, 'type', 'reply'),
        ...text(memberOf(button, 'reply'), `action.buttons.${nth}.reply`, 'id', LENGTHS.buttonId),
        ...text(memberOf(button, 'reply'), `action.buttons.${nth}.reply`, 'title', LENGTHS.title),
      ]),
      ...different(ids, 'action.buttons'),
    ];
  },
  list(action) {
    const sections = listIn(action, 'sections');
    const rows = sections.flatMap((section) => listIn(section, 'rows'));
    const ids = rows.map((row) => memberOf(row, 'id'));
    const rowsOf = (section: unknown, nth: number): Found =>
      listIn(section, 'rows').flatMap((row, place) => rowFaults(row, `action.sections.${nth}.rows.${place}`));
    return [
      ...text(action, 'action', 'button', LENGTHS.title),
      ...count(sections, 'action.sections', MAX_ROWS),
      ...count(rows, 'action.sections.rows', MAX_ROWS),
      ...sections.flatMap((section, nth) => [
        ...text(section, `action.sections.${nth}`, 'title', LENGTHS.rowTitle, sections.length > 1),
        ...rowsOf(section, nth),
      ]),
      ...different(ids, 'action.sections.rows'),
    ];
  },
  cta_url(action) {
    const parameters = memberOf(action, 'parameters');
    return [
      ...value(action, 'action', 'name', 'cta_url'),
      ...text(parameters, 'action.parameters', 'display_text', LENGTHS.title),
      ...text(parameters, 'action.parameters', 'url', LENGTHS.url),
    ];
  },
  location_request_message: (action) => value(action, 'action', 'name', 'send_location'),
  flow: (action) => [
    ...value(action, 'action', 'name', 'flow'),
    ...(isRecord(memberOf(action, 'parameters')) ? [] : wrong('action.parameters', 'must be an object', 'harus berupa objek')),
  ],
  product: (action) => [...text(action, 'action', 'catalog_id', LENGTHS.id), ...text(action, 'action', 'product_retailer_id', LENGTHS.id)],
  product_list: (action) => [
    ...text(action, 'action', 'catalog_id', LENGTHS.id),
    ...count(listIn(action, 'sections'), 'action.sections', MAX_ROWS),
  ],
  catalog_message: (action) => value(action, 'action', 'name', 'catalog_message'),
};

const rowFaults = (row: unknown, path: string): Found => [
  ...text(row, path, 'id', LENGTHS.rowId),
  ...text(row, path, 'title', LENGTHS.rowTitle),
  ...text(row, path, 'description', LENGTHS.description, false),
];

export function shownInteractive({ header, body, footer, action }: Interactive): Fields {
  const sections = listIn(action, 'sections').flatMap((section) => listIn(section, 'rows'));
  const parameters = memberOf(action, 'parameters');
  const link = { text: memberOf(parameters, 'display_text'), url: memberOf(parameters, 'url') };
  const replies = listIn(action, 'buttons').map((button) => {
    const reply = memberOf(button, 'reply');
    return { id: memberOf(reply, 'id'), text: memberOf(reply, 'title') };
  });
  const rows = sections.map((row) => ({ id: memberOf(row, 'id'), text: memberOf(row, 'title') }));
  const buttons = [...replies, ...rows, ...(typeof link.url === 'string' ? [link] : [])];
  return {
    ...{ title: header?.text ?? null, body: body?.text ?? null, footer: footer?.text ?? null },
    ...(buttons.length > 0 && { buttons }),
    ...(typeof action['button'] === 'string' && { button: action['button'] }),
  };
}
