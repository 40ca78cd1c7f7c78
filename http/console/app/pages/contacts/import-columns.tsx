import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { words } from './words.ts';

type Column = Schemas['ContactImportPreview']['columns'][number];

const FIELDS = [
  ...['phone', 'name', 'first_name', 'last_name', 'country', 'tags', 'group', 'opt_in', 'opt_out', 'consent'],
  ...['var1', 'var2', 'var3', 'var4', 'var5'],
];

const ATTRIBUTE = 'attr.';

export function attributeOf(header: string, nth: number): string {
  const key = header
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .slice(0, 64);
  return `${ATTRIBUTE}${key === '' ? `column_${nth + 1}` : key}`;
}

export function targetText(as: string): string {
  return as.startsWith(ATTRIBUTE) ? as.slice(ATTRIBUTE.length) : (words().fields[as] ?? as);
}

const isKnown = (as: string, known: ReadonlySet<string>): boolean => known.has(targetText(as).toLowerCase());

interface ColumnsProps {
  readonly columns: readonly Column[];
  /** Target field for each column header; '' if the column is not imported. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly known: ReadonlySet<string>;
  readonly onChoose: (header: string, as: string) => void;
}

export function Columns({ columns, chosen, known, onChoose }: ColumnsProps): JSX.Element {
  const t = words();
  return (
    <section class="card table-card" tabIndex={0} aria-label={t.columns}>
      <table class="folding">
        <thead>
          <tr>
            <th scope="col">{t.column}</th>
            <th scope="col">{t.saveAs}</th>
            <th scope="col">{t.effect}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ header, samples, as: found }, nth) => {
            const as = chosen.get(header) ?? '';
            const made = attributeOf(header, nth);
            const others = FIELDS.includes(as) || as === '' || as === made ? [] : [as];
            return (
              <tr key={header} data-testid="import-column" data-field={as}>
                <td class="whole">
                  <strong class="breaks">
                    <bdi>{header}</bdi>
                  </strong>
                  <p class="meta tiny one-line sample-cells">
                    <bdi>{samples.join(' · ')}</bdi>
                  </p>
                </td>
                <td class="whole">
                  <select
                    aria-label={`${t.saveAs}: ${header}`}
                    value={as}
                    onChange={(event) => onChoose(header, event.currentTarget.value)}
                  >
                    <option value="">{t.ignore}</option>
                    {FIELDS.map((field) => (
                      <option key={field} value={field}>
                        {targetText(field)}
                      </option>
                    ))}
                    {others.map((other) => (
                      <option key={other} value={other}>
                        {targetText(other)}
                      </option>
                    ))}
                    <option value={made} data-testid="import-new-field">
                      {isKnown(made, known) ? targetText(made) : t.newField(targetText(made))}
                    </option>
                  </select>
                </td>
                <td class="whole">
                  <Effect as={as} found={found} known={known} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

interface EffectProps {
  readonly as: string;
  readonly found: string | null;
  readonly known: ReadonlySet<string>;
}

function Effect({ as, found, known }: EffectProps): JSX.Element {
  const t = words();
  const [look, icon, text] = ((): readonly [string, IconName, string] => {
    if (as === '') return ['meta', 'minus', t.notImported];
    if (as.startsWith(ATTRIBUTE) && !isKnown(as, known)) return ['accent', 'plus', t.createsField(targetText(as))];
    return ['good', 'check', as === found ? t.matched : t.chosenBy];
  })();
  return (
    <span class={`effect ${look}`}>
      <Icon name={icon} small />
      {text}
    </span>
  );
}
