import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Opener } from '../../ui/opener.tsx';
import { listIn } from './contact-form.tsx';
import { words } from './words.ts';

export function Split({ contact: { id } }: { readonly contact: Schemas['Contact'] }): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const typed = useSignal('');
  const params = { id };
  const body = { numbers: [...listIn(typed.value)] };
  return (
    <section class="card stack" aria-labelledby="contact-split">
      <h2 id="contact-split">{t.splitTitle}</h2>
      <p class="small soft">{t.splitAbout}</p>
      <Opener label={t.split} look="button slim" testId="contact-split">
        {(isOpen, close) => (
          <FormDialog
            title={t.split}
            verb={t.split}
            isOpen={isOpen}
            onClose={close}
            isReady={body.numbers.length > 0}
            save={async () => {
              const other = await call('splitContact', { params, body });
              close();
              route(`${BASE}/contacts/${other.id}`);
            }}
            code={<AsCode operation="splitContact" input={{ params, body }} />}
          >
            <p>{t.splitHow}</p>
            <Field
              label={t.splitNumbers}
              hint={t.splitHint}
              testId="split-numbers"
              value={typed.value}
              onValue={(value) => (typed.value = value)}
              autocomplete="off"
              required
            />
          </FormDialog>
        )}
      </Opener>
    </section>
  );
}
