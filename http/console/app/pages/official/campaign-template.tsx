import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { numberText } from '../../words/formats.ts';
import { priceText } from '../../words/money.ts';
import { words } from './words.ts';

export interface ChosenTemplate {
  readonly id: string;
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
}

interface CampaignTemplateProps {
  readonly templates: readonly Schemas['Template'][];
  readonly chosen: ChosenTemplate | null;
  readonly onChosen: (template: ChosenTemplate | null) => void;
}

export function CampaignTemplate({ templates, chosen, onChosen }: CampaignTemplateProps): JSX.Element {
  const t = words();
  if (templates.length === 0) return <p class="notice warn small">{t.noneApproved}</p>;
  const choose = (id: string): void => {
    const template = templates.find((one) => one.id === id);
    const variables = Object.fromEntries((template?.official?.variables ?? []).map((name) => [name, '']));
    onChosen(template ? { id, name: template.name, variables } : null);
  };
  return (
    <>
      <Choice
        label={t.useTemplate}
        value={chosen?.id ?? ''}
        options={[
          ...templates.map((one) => [one.id, `${one.name} (${one.official?.language ?? one.language})`] as const),
          ['', t.freeText],
        ]}
        onValue={choose}
      />
      {chosen &&
        Object.entries(chosen.variables).map(([name, value]) => (
          <Field
            key={name}
            label={t.valueOf(name)}
            hint={t.valueHint}
            required
            autocomplete="off"
            value={value}
            onValue={(given) => onChosen({ ...chosen, variables: { ...chosen.variables, [name]: given } })}
          />
        ))}
    </>
  );
}

export function CostLine({ estimate }: { readonly estimate: Schemas['CostEstimate'] | null }): JSX.Element | null {
  const t = words();
  if (estimate === null) return null;
  const { amount, currency, rows } = estimate;
  const count = rows.reduce((sum, { messages }) => sum + messages, 0);
  return (
    <div>
      <dt>{t.cost}</dt>
      <dd data-testid="campaign-cost">
        {amount === null || currency === null ? t.unpriced(numberText(count)) : priceText(amount, currency)}
      </dd>
    </div>
  );
}
