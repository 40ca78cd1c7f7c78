import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import Joi from 'joi';

const bytes = (max: number): Joi.StringSchema =>
  Joi.string()
    .max(max)
    .pattern(/^[\w-]+$/, 'base64url')
    .example('q83vASNFZ4k');

const common = {
  id: bytes(1_400).required(),
  rawId: bytes(1_400).required(),
  type: Joi.string().valid('public-key').required(),
  authenticatorAttachment: Joi.string().max(40).allow(null),
  clientExtensionResults: Joi.object().unknown().required().example({}),
};

export const Registration = Joi.object<RegistrationResponseJSON>({
  ...common,
  response: Joi.object({
    clientDataJSON: bytes(8_192).required(),
    attestationObject: bytes(65_536).required(),
    transports: Joi.array().items(Joi.string().max(40)).max(20),
  })
    .unknown()
    .required(),
})
  .unknown()
  .description('The result of `navigator.credentials.create`, in the form of its `toJSON()`');

export const assertionFields = {
  ...common,
  response: Joi.object({
    clientDataJSON: bytes(8_192).required(),
    authenticatorData: bytes(8_192).required(),
    signature: bytes(8_192).required(),
    userHandle: bytes(128).allow(null),
  })
    .unknown()
    .meta({ title: 'AssertionResponse' })
    .required(),
};

export const Assertion = Joi.object<AuthenticationResponseJSON>(assertionFields)
  .unknown()
  .meta({ title: 'PasskeyAssertion' })
  .description('The result of `navigator.credentials.get`, in the form of its `toJSON()`');
