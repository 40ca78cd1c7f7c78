import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { seenOf, testOf, triedOf } from '../../../../../actors/services/auto-reply/rule-tests.ts';
import { safeText } from '../../../../../runtime/safe-text.ts';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Field } from '../../ui/field.tsx';
import { words } from './words.ts';

type Rule = Schemas['AutoReplyRule'];

/** Tests rules with the gateway's own code, which runs in the browser. Nothing is sent. */
export function TryRules({ rules }: { readonly rules: readonly Rule[] }): JSX.Element {
  const t = words();
  const message = useSignal('');
  const tried = useSignal<string | null>(null);
  const seen = tried.value === null ? null : seenOf(safeText(tried.value));
  const rule = seen && (triedOf(rules).find((one) => testOf(one)(seen)) ?? null);
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        tried.value = message.value;
      }}
    >
      <h2>{t.tryIt}</h2>
      <Field label={t.message} required autocomplete="off" value={message.value} onValue={(value) => (message.value = value)} />
      <div class="row">
        <button type="submit" class="button">
          {t.tryIt}
        </button>
      </div>
      <div role="status" class="stack">
        {tried.value !== null && <p>{rule ? t.fits(rule.name) : t.silent}</p>}
        {rule && <p class="bubble">{rule.reply_body ?? rule.reply_caption ?? rule.reply_type}</p>}
      </div>
    </form>
  );
}
