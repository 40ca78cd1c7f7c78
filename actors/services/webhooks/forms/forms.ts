import type { OtherFormat } from '../../../../store/webhooks/webhooks.ts';
import { evolutionForm } from './evolution.ts';
import type { Form } from './form.ts';
import { wahaForm } from './waha.ts';

export const FORMS: Readonly<Record<OtherFormat, Form>> = { evolution: evolutionForm, waha: wahaForm };
