/** Answers that the library and we judge differently, each with the reason why. */
interface Difference {
  /** Our verdict: the reason why we refuse, or `accepted`. */
  readonly ours: string
  readonly because: string
  /** The kinds of deviation in which it shows. */
  readonly kinds: readonly string[]
}

export const DIFFERENCES: readonly Difference[] = [
  {
    ours: 'accepted',
    because: 'A counter that goes back is reported, not refused: it may not lock anybody out.',
    kinds: ['counters', 'pairs of counters'],
  },
  {
    ours: 'accepted',
    because: 'Level 3 has no token binding any more: a member that is not known is ignored.',
    kinds: ['token binding, as it never was'],
  },
  {
    ours: 'cross-origin',
    because: 'Nobody signs in here from a frame of another site; the library asks for its origin.',
    kinds: ['a frame of another site', 'a member twice, the last one of frames'],
  },
  {
    ours: 'cross-origin',
    because: 'The member is a boolean; what is neither true nor false counts as true.',
    kinds: ['a frame of another site, said in another way', 'nothing that counts as a frame'],
  },
  {
    ours: 'cross-origin',
    because: 'The library looks at frames in sign-ins only, and there at an origin at the top.',
    kinds: ['an origin at the top', 'an origin at the top that is nothing'],
  },
  {
    ours: 'top-origin',
    because: 'An origin at the top is refused in registrations too, and whatever it is.',
    kinds: ['an origin at the top', 'an origin at the top that is nothing'],
  },
  {
    ours: 'unread',
    because: 'What a stranger posts has a limit: of client data 8 KiB, of ids 1,023 bytes.',
    kinds: ['a great many bytes', 'ids of very many bytes', 'ids that are too long'],
  },
  {
    ours: 'unread',
    because: 'Bytes have the one spelling of toJSON(); another one of an id would be another id.',
    kinds: [
      'another spelling of the id',
      'another spelling of bytes',
      'ids that are not base64url',
      'ids that are not texts',
    ],
  },
  {
    ours: 'attestation-object',
    because: 'Bytes have the one spelling of toJSON().',
    kinds: ['another spelling of bytes'],
  },
  {
    ours: 'authenticator-data',
    because: 'Bytes have the one spelling of toJSON().',
    kinds: ['another spelling of bytes'],
  },
  {
    ours: 'signature',
    because: 'Bytes have the one spelling of toJSON().',
    kinds: ['another spelling of bytes'],
  },
  {
    ours: 'credential-id',
    because:
      'The id that is posted is the one that the authenticator signs, or whose key is asked.',
    kinds: ['another id'],
  },
  {
    ours: 'user-handle',
    because: 'Nobody was identified before: the handle is required and must be the person’s.',
    kinds: ['no user handle', 'another user handle'],
  },
  {
    ours: 'backup-eligibility',
    because: 'Whether a passkey may be copied never changes (7.2, step 19).',
    kinds: ['every byte of flags', 'flags of a passkey that may be copied'],
  },
  {
    ours: 'attestation-object',
    because: 'Nothing follows the object, and nothing in it ends before its bytes do.',
    kinds: ['more than the object', 'a cut object'],
  },
  {
    ours: 'attestation-object',
    because: 'What a stranger posts has a limit: 16 KiB.',
    kinds: ['an object of very many bytes'],
  },
  {
    ours: 'attestation-object',
    because: 'Lengths are in as few bytes as they need; the library lets one of eight bytes pass.',
    kinds: ['an object with needless bytes'],
  },
  {
    ours: 'authenticator-data',
    because: 'CBOR as authenticators write it has no floats, tags, undefined, or broken texts.',
    kinds: [
      'extensions with a floating-point number',
      'extensions with a tag',
      'extensions with a text that is not UTF-8',
      'extensions with what CBOR calls undefined',
    ],
  },
  {
    ours: 'authenticator-data',
    because: 'CBOR as authenticators write it is at most four deep.',
    kinds: ['extensions that are too deep'],
  },
  {
    ours: 'authenticator-data',
    because: 'Extensions are a map; the library takes an empty list or text for one.',
    kinds: ['extensions that are not a map'],
  },
  {
    ours: 'authenticator-data',
    because: 'Nothing ends before its bytes do.',
    kinds: ['extensions whose bytes end early', 'cut data'],
  },
  {
    ours: 'public-key',
    because: 'A key is whole and of its algorithm when it is registered, not only when it signs.',
    kinds: [
      'a coordinate of another length',
      'a coordinate that is not bytes',
      'a curve of another kind',
      'a curve that is not a number',
      'a key of another algorithm',
      'a key of another kind',
      'a key whose kind is not a number',
      'a key with a member more',
      'a key without a member',
      'a modulus that is not bytes',
      'a point in its short form',
      'a point that is not on its curve',
    ],
  },
  {
    ours: 'public-key',
    because: 'RSA keys have 2,048 to 4,096 bits, and the exponent that all have.',
    kinds: [
      'a modulus that is too long',
      'a modulus that is too short',
      'a modulus with a zero before it',
      'an exponent that is invalid',
      'another exponent',
    ],
  },
  {
    ours: 'attestation',
    because: 'A statement beside "none" is an empty map.',
    kinds: ['a statement that is not a map'],
  },
  {
    ours: 'attestation',
    because: 'Packed self attestation has the key’s algorithm and a signature, and nothing else.',
    kinds: [
      'packed by a certificate that is nothing',
      'packed by the passkey itself, with a member more',
      'packed with another algorithm',
      'packed with no algorithm',
    ],
  },
  {
    ours: 'attestation',
    because: 'Nobody vouches for the AAGUID of a self attestation: it must not claim one.',
    kinds: ['packed by the passkey itself, with an AAGUID'],
  },
  {
    ours: 'attestation',
    because: 'A signature has one encoding in DER; the library reads BER.',
    kinds: ['packed with another signature'],
  },
  {
    ours: 'signature',
    because: 'A signature has one encoding in DER; the library reads BER.',
    kinds: [
      'a signature of indefinite length',
      'a signature with a long length',
      'a signature with a third number',
      'a signature with more at its end',
      'a signature without its sign',
      'changed signatures',
    ],
  },
  {
    ours: 'copy',
    because: 'What the browser copies out of the object agrees with it, or is not there.',
    kinds: ['copies that differ'],
  },
]
