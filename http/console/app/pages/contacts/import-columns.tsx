import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { words } from './words.ts';

export type Column = Schemas['ContactImportPreview']['columns'][number];

/** What a column may be, as the gateway names it. */
const FIELDS = [
  ...['phone', 'name', 'first_name', 'last_name', 'country', 'tags', 'group', 'opt_in', 'opt_out', 'consent'],
  ...['var1', 'var2', 'var3', 'var4', 'var5'],
];

/** The attribute that a column of this name becomes where no field has its name. */
export function attributeOf(header: string, nth: number): string {
  const key = header
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .slice(0, 64);
  return `attr.${key === '' ? `column_${nth + 1}` : key}`;
}

interface ColumnsProps {
  readonly columns: readonly Column[];
  /** The target of each column, by its header; '': it is left out. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly onChoose: (header: string, as: string) => void;
}

/** Each column of a file: some of its cells, and what it is saved as. */
export function Columns({ columns, chosen, onChoose }: ColumnsProps): JSX.Element {
  const t = words();
  return (
    <section class="table-box" tabIndex={0} aria-label={t.columns}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.column}</th>
            <th scope="col">{t.saveAs}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ header, samples }, nth) => {
            const as = chosen.get(header) ?? '';
            const made = attributeOf(header, nth);
            const others = FIELDS.includes(as) || as === '' || as === made ? [] : [as];
            return (
              <tr key={header} data-testid="import-column" data-field={as}>
                <th scope="row">
                  <bdi class="breaks">{header}</bdi>
                  <p class="soft small breaks">
                    <bdi>{samples.join(' · ')}</bdi>
                  </p>
                </th>
                <td>
                  <select
                    aria-label={`${t.saveAs}: ${header}`}
                    value={as}
                    onChange={(event) => onChoose(header, event.currentTarget.value)}
                  >
                    <option value="">{t.ignore}</option>
                    {FIELDS.map((field) => (
                      <option key={field} value={field}>
                        {t.fields[field] ?? field}
                      </option>
                    ))}
                    {others.map((other) => (
                      <option key={other} value={other}>
                        {other.slice('attr.'.length)}
                      </option>
                    ))}
                    <option value={made} data-testid="import-new-field">
                      {t.newField(made.slice('attr.'.length))}
                    </option>
                  </select>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
