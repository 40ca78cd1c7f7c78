import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { consentWords } from '../../words/consent.ts';
import { personText } from '../../words/person.ts';
import { targetText } from './import-columns.tsx';
import { words } from './words.ts';

type First = Schemas['ContactImportPreview']['first'];

export function FirstRows({ rows }: { readonly rows: First }): JSX.Element | null {
  const t = words();
  if (rows.length === 0) return null;
  const attributes = [...new Set(rows.flatMap(({ attrs }) => Object.keys(attrs)))];
  return (
    <section class="card table-card" tabIndex={0} aria-label={t.firstRows}>
      <h2 class="card-top">{t.firstRows}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.phone}</th>
            <th scope="col">{t.tags}</th>
            <th scope="col">{t.consent}</th>
            {attributes.map((key) => (
              <th key={key} scope="col">
                <bdi>{key}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((one, nth) => (
            <tr key={nth}>
              <td class="breaks">
                <bdi>{one.name ?? '–'}</bdi>
              </td>
              <td>
                <bdi class="tel">{personText(one)}</bdi>
              </td>
              <td>
                <span class="row">
                  {one.tags.map((tag) => (
                    <span key={tag} class="tag small">
                      <bdi>{tag}</bdi>
                    </span>
                  ))}
                </span>
              </td>
              <td>{one.consent === null ? '–' : consentWords().of[one.consent]}</td>
              {attributes.map((key) => (
                <td key={key} class="breaks">
                  <bdi>{one.attrs[key] ?? '–'}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface FaultsProps {
  readonly title: string;
  readonly faults: readonly Schemas['ContactImportError'][];
}

export function Faults({ title, faults }: FaultsProps): JSX.Element | null {
  const t = words();
  if (faults.length === 0) return null;
  return (
    <section class="card table-card" tabIndex={0} aria-label={title}>
      <h2 class="card-top">{title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.row}</th>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.error}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ row, field, error }) => (
            <tr key={`${row} ${field}`} data-testid="import-error">
              <td class="figures">{row}</td>
              <td class="breaks">
                <bdi>{targetText(field)}</bdi>
              </td>
              <td class="breaks">
                <bdi>{error}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
