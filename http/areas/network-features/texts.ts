import Joi from 'joi';
import { PRINTABLE } from '../../core/language.ts';

/**
 * Text that phones show: names on one line, other texts with line breaks. Some phones remove other
 * control characters, or reject them late. Ranges instead of \p, because readers of the OpenAPI
 * document match without the flag u.
 */
export const Line = Joi.string().pattern(/^[ -~\u00a0-\uffff]*$/, PRINTABLE);
export const Lines = Joi.string().pattern(/^[\t\n\r -~\u00a0-\uffff]*$/, PRINTABLE);
