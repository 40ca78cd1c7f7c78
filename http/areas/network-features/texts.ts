import Joi from 'joi';
import { PRINTABLE } from '../../core/language.ts';

/**
 * Rejects control characters, which some phones strip. Avoids `\p{Cc}`, which would need the `u`
 * flag.
 */
export const Line = Joi.string().pattern(/^[ -~\u00a0-\uffff]*$/, PRINTABLE);
export const Lines = Joi.string().pattern(/^[\t\n\r -~\u00a0-\uffff]*$/, PRINTABLE);
