import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { personText } from '../../words/person.ts';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

interface ContactFormProps {
  /** null: a new one. */
  readonly contact: Contact | null;
  readonly onDone: () => void;
}

export function ContactForm({ contact, onDone }: ContactFormProps): JSX.Element {
  const t = words();
  const [name, phone, tags] = [
    useSignal(contact?.name ?? ''),
    useSignal(contact?.phone ? `+${contact.phone}` : ''),
    useSignal(contact?.tags.join(', ') ?? ''),
  ];
  const isRemoving = useSignal(false);
  const acting = useAct();
  const list = tags.value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const isHidden = contact !== null && contact.phone === null;
  const fields = { name: name.value.trim() === '' ? null : name.value.trim(), tags: list };
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work();
      onDone();
    });
  const save = (): Promise<void> =>
    act(() => {
      const all = { ...fields, phone: phone.value.trim() };
      if (contact === null) return call('createContact', { body: all });
      return call('changeContact', { params: { id: contact.id }, body: isHidden ? fields : all });
    });
  return (
    <div class="stack">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={t.name} value={name.value} onValue={(value) => (name.value = value)} autocomplete="off" testId="contact-name" />
        {isHidden ? (
          <p class="soft" data-testid="contact-hidden">
            {contact.username && `@${contact.username}. `}
            {t.hiddenHint}
          </p>
        ) : (
          <Field
            label={t.phone}
            hint={t.phoneHint}
            type="tel"
            value={phone.value}
            onValue={(value) => (phone.value = value)}
            autocomplete="off"
            required
            testId="contact-phone"
          />
        )}
        <Field
          label={t.tags}
          hint={t.tagsHint}
          value={tags.value}
          onValue={(value) => (tags.value = value)}
          autocomplete="off"
          testId="contact-tags"
        />
        {acting.error.value && <Failure error={acting.error.value} />}
        <div class="buttons">
          <button type="submit" class="button first" data-testid="contact-save" disabled={acting.isBusy.value}>
            {t.save}
          </button>
          {contact && !isRemoving.value && (
            <button type="button" class="button danger" onClick={() => (isRemoving.value = true)}>
              {t.remove}
            </button>
          )}
        </div>
      </form>
      {contact && isRemoving.value && (
        <div class="notice bad">
          <p class="breaks">{t.removeAsk(contact.name ?? personText(contact))}</p>
          <button
            type="button"
            class="button danger"
            data-testid="confirm"
            disabled={acting.isBusy.value}
            onClick={() => act(() => call('deleteContact', { params: { id: contact.id } }))}
          >
            {t.remove}
          </button>
        </div>
      )}
      {contact && <Consent phone={contact.phone === null ? (contact.lid ?? '') : `+${contact.phone}`} />}
    </div>
  );
}

/** What a person said about messages, and since when; here somebody can note what they said elsewhere. */
function Consent({ phone }: { readonly phone: string }): JSX.Element {
  const t = words();
  const acting = useAct();
  const found = useResource(phone, (signal) => call('getConsentHistory', { params: { phone } }, { signal }));
  const put = (status: 'opted_in' | 'opted_out'): Promise<void> =>
    acting.run(async () => {
      await call('putConsent', { params: { phone }, body: { status } });
      found.reload();
    });
  return (
    <section class="stack" aria-label={t.consent}>
      <h3>{t.consent}</h3>
      <Loaded of={found}>
        {({ current, history }) => (
          <>
            <p data-testid="contact-consent">{current ? t.consentOf[current.status] : t.noConsent}</p>
            <ul class="small">
              {history.map(({ status, source, at, note }) => (
                <li key={at}>
                  {whenText(at)}: {t.consentOf[status]} {t.sources[source]}
                  {note !== null && ` (${note})`}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="buttons">
        <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={() => put('opted_in')}>
          {t.optIn}
        </button>
        <button
          type="button"
          class="button slim"
          data-testid="contact-opt-out"
          disabled={acting.isBusy.value}
          onClick={() => put('opted_out')}
        >
          {t.optOut}
        </button>
      </div>
    </section>
  );
}
