/**
 * The examples of WebAuthn Level 3, section 16 ("Test Vectors"), for relying party `example.org`,
 * those of kinds that are accepted here. Most of their authenticators have not verified the person.
 */
export interface Vector {
  readonly registration: {
    readonly challenge: string
    readonly clientDataJSON: string
    readonly attestationObject: string
    /** What we say of it. */
    readonly verdict: string
  }
  readonly assertion: {
    readonly challenge: string
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly verdict: string | object
  }
}

const extra = (random: string) =>
  `,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: ${random}"`

const clientData = (type: string, challenge: string, crossOrigin: boolean, rest = '') =>
  `{"type":"webauthn.${type}","challenge":"${Buffer.from(challenge, 'hex').toString('base64url')}","origin":"https://example.org","crossOrigin":${crossOrigin}${rest}}`

const RP_ID_HASH = 'bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5'

export const VECTORS: Readonly<Record<string, Vector>> = {
  '16.2, ES256 without attestation': {
    registration: {
      challenge: '00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130',
      clientDataJSON: clientData(
        'create',
        '00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130',
        false,
        extra('BkQeDjdcTBrXBiAwJTLE5Q'),
      ),
      attestationObject: `a363666d74646e6f6e656761747453746d74a068617574684461746158a4${RP_ID_HASH}59000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220`,
      verdict: 'user-verification',
    },
    assertion: {
      challenge: '39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408',
      clientDataJSON: clientData(
        'get',
        '39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408',
        false,
      ),
      authenticatorData: `${RP_ID_HASH}1900000000`,
      signature:
        '3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87',
      verdict: 'user-verification',
    },
  },
  // Its AAGUID is not zero, and no maker has signed it.
  '16.3, ES256 with self attestation': {
    registration: {
      challenge: '7869c2b772d4b58eba9378cf8f29e26cf935aa77df0da89fa99c0bdc0a76f7e5',
      clientDataJSON: clientData(
        'create',
        '7869c2b772d4b58eba9378cf8f29e26cf935aa77df0da89fa99c0bdc0a76f7e5',
        false,
        extra('U9hTXvKE2URkMnb_0xYHVg'),
      ),
      attestationObject: `a363666d74667061636b65646761747453746d74a263616c672663736967584630440220067a20754ab925005dbf378097c92120031581c73228d1fb4f5b881bcd7da98302207fc7b147558c7c0eba3af18bd9d121fa3d3a26d17fe3f220272178f473b6006d68617574684461746158a4${RP_ID_HASH}5d00000000df850e09db6afbdfab51697791506cfc0020455ef34e2043a87db3d4afeb39bbcb6cc32df9347c789a865ecdca129cbef58ca5010203262001215820eb151c8176b225cc651559fecf07af450fd85802046656b34c18f6cf193843c5225820927b8aa427a2be1b8834d233a2d34f61f13bfd44119c325d5896e183fee484f2`,
      verdict: 'attestation',
    },
    assertion: {
      challenge: '4478a10b1352348dd160c1353b0d469b5db19eb91c27f7dfa6fed39fe26af20b',
      clientDataJSON: clientData(
        'get',
        '4478a10b1352348dd160c1353b0d469b5db19eb91c27f7dfa6fed39fe26af20b',
        false,
        extra('gTb53rz6EhSWomXGzimC1Q'),
      ),
      authenticatorData: `${RP_ID_HASH}0900000000`,
      signature:
        '304402203310b9431903c401f1be2bdc8d23a4007682dbbddcf846994947b7f465daf84002204e94dd00047b316061b3b99772b7efd95994a83ef584b3b6b825ea3550251b66',
      verdict: 'user-verification',
    },
  },
  '16.4, in a frame of another site': {
    registration: {
      challenge: '3be5aacd03537142472340ab5969f240f1d87716e20b6807ac230655fa4b3b49',
      clientDataJSON: clientData(
        'create',
        '3be5aacd03537142472340ab5969f240f1d87716e20b6807ac230655fa4b3b49',
        true,
        extra('zZquEtDR9DWqpW5tBWTFug'),
      ),
      attestationObject: `a363666d74646e6f6e656761747453746d74a068617574684461746158a4${RP_ID_HASH}4500000000883f4f6014f19c09d87aa38123be48d000206e1050c0d2ca2f07c755cb2c66a74c64fa43065c18f938354d9915db2bd5ce57a501020326200121582022200a473f90b11078851550d03b4e44a2279f8c4eca27b3153dedfe03e4e97d225820cbd0be95e746ad6f5a8191be11756e4c0420e72f65b466d39bc56b8b123a9c6e`,
      verdict: 'cross-origin',
    },
    assertion: {
      challenge: '876aa517ba83fdee65fcffdbca4c84eeae5d54f8041a1fc85c991e5bbb273137',
      clientDataJSON: clientData(
        'get',
        '876aa517ba83fdee65fcffdbca4c84eeae5d54f8041a1fc85c991e5bbb273137',
        true,
        extra('92pcTVD0Aby-q4dtmj6efg'),
      ),
      authenticatorData: `${RP_ID_HASH}0500000000`,
      signature:
        '3046022100eb12fcf23b12764c0f122e22371fab92e283879fd798f38ee1841c951b6e40e7022100c76237ff9db77b3c56f30837cda6a09acfa2e915544e609c0733b1184036d1cf',
      verdict: 'cross-origin',
    },
  },
  '16.5, with another origin at the top': {
    registration: {
      challenge: '4e1f4c6198699e33c14f192153f49d7e0e8e3577d5ac416c5f3adc92a41f27e5',
      clientDataJSON: clientData(
        'create',
        '4e1f4c6198699e33c14f192153f49d7e0e8e3577d5ac416c5f3adc92a41f27e5',
        true,
        ',"topOrigin":"https://example.com"',
      ),
      attestationObject: `a363666d74646e6f6e656761747453746d74a068617574684461746158a4${RP_ID_HASH}410000000097586fd09799a76401c200455099ef2a0020b8ad59b996047ab18e2ceb57206c362da57458793481f4a8ebf101c7ca7cc0f1a5010203262001215820a1c47c1d82da4ebe82cd72207102b380670701993bc35398ae2e5726427fe01d22582086c1080d82987028c7f54ecb1b01185de243b359294a0ed210cd47480f0adc88`,
      verdict: 'cross-origin',
    },
    assertion: {
      challenge: 'd54a5c8ca4b62a8e3bb321e3b2bc73856f85a10150db2939ac195739eb1ea066',
      clientDataJSON: clientData(
        'get',
        'd54a5c8ca4b62a8e3bb321e3b2bc73856f85a10150db2939ac195739eb1ea066',
        true,
        `,"topOrigin":"https://example.com"${extra('UiFoJMVRQHDAFWFi4vxUpQ')}`,
      ),
      authenticatorData: `${RP_ID_HASH}0500000000`,
      signature:
        '3045022100b5a70c81780d5fcc9a4f2ae9caae99058f8accaf58b91fb59329646c28ac6ffc022012e101c165db3c8e9957f0c54dd6ca9b56bc3bd2f280bd2faa6c1d02c6e5c171',
      verdict: 'cross-origin',
    },
  },
  // Its registration is attested by a certificate.
  '16.7, packed with ES256': {
    registration: {
      challenge: 'c1184a5fddf8045e13dc47f54b61f5a656b666b59018f16d870e9256e9952012',
      clientDataJSON: clientData(
        'create',
        'c1184a5fddf8045e13dc47f54b61f5a656b666b59018f16d870e9256e9952012',
        false,
        extra('9a8bNYjKCgWrBXU-fCl1ag'),
      ),
      attestationObject: `a363666d74667061636b65646761747453746d74a363616c6726637369675847304502203f19ec4b229f46ab8c45eff29b904ff10c0390dc40bf1216f04a78f4ceba3425022100fe7041a32759aff05a0f9f26c70a999c7a284451ba89234a1d3483c25e21925b637835638159022530820221308201c8a00302010202110088c220f83c8ef1feafe94deae45faad0300a06082a8648ce3d0403023062311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331253023060355040b0c1c41757468656e74696361746f72204174746573746174696f6e204341310b30090603550406130241413020170d3234303130313030303030305a180f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e310b30090603550406130241413059301306072a8648ce3d020106082a8648ce3d03010703420004a91ba4389409dd38a428141940ca8feb1ac0d7b4350558104a3777a49322f3798440f378b3398ab2d3bb7bf91322c92eb23556f59ad0a836fec4c7663b0e4dc3a360305e300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414a589ba72d060842ab11f74fb246bdedab16f9b9b301f0603551d2304183016801445aff715b0dd786741fee996ebc16547a3931b1e300a06082a8648ce3d040302034700304402201726b9d85ecd8a5ed51163722ca3a20886fd9b242a0aa0453d442116075defd502207ef471e530ac87961a88a7f0d0c17b091ffc6b9238d30f79f635b417be5910e768617574684461746158a4${RP_ID_HASH}4d00000000876ca4f52071c3e9b25509ef2cdf7ed60020c9a6f5b3462d02873fea0c56862234f99f081728084e511bb7760201a89054a5a50102032620012158201cf27f25da591208a4239c2e324f104f585525479a29edeedd830f48e77aeae522582059e4b7da6c0106e206ce390c93ab98a15a5ec3887e57f0cc2bece803b920c423`,
      verdict: 'attestation',
    },
    assertion: {
      challenge: 'b1106fa46a57bef1781511c0557dc898a03413d5f0f17d244630c194c7e1adb5',
      clientDataJSON: clientData(
        'get',
        'b1106fa46a57bef1781511c0557dc898a03413d5f0f17d244630c194c7e1adb5',
        false,
        extra('AZMwyMxIbD8-uguFNp6r8Q'),
      ),
      authenticatorData: `${RP_ID_HASH}0d00000000`,
      signature:
        '30450220694969d3ee928de6f02ef23a9c644d7d779916451734a94b432542f498a1ebe90221008b0819c824218a97152cd099c55bfb1477b29d900a49a64018314f9bfccda163',
      verdict: { counter: 0, bs: false, isRegressed: false },
    },
  },
  // Its registration is attested by a certificate.
  '16.11, packed with Ed25519': {
    registration: {
      challenge: 'a8abf9dabdc6b0df63466b39bda9e8a34a34e185337a59f1c579990676d3b3bd',
      clientDataJSON: clientData(
        'create',
        'a8abf9dabdc6b0df63466b39bda9e8a34a34e185337a59f1c579990676d3b3bd',
        false,
        extra('B_DT5g7ZD_-9OTLYX5IvEQ'),
      ),
      attestationObject: `a363666d74667061636b65646761747453746d74a363616c67266373696758483046022100d83f60bd80269537583218858aefb03ac57d45fa06e42feaae332d187f62da9f022100a02bd3cb6f7e1d283c93bad1f3f4b5a4c0494463da7fdbf256949116754d1f17637835638159022730820223308201c8a003020102021100b2cfc9ea33c8643b0e1a760463eaf164300a06082a8648ce3d0403023062311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331253023060355040b0c1c41757468656e74696361746f72204174746573746174696f6e204341310b30090603550406130241413020170d3234303130313030303030305a180f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e310b30090603550406130241413059301306072a8648ce3d020106082a8648ce3d03010703420004dd2b7a564b73b8c0b81c4c62e521925c4d1198ec9f583dbf1eebe364b65cd9c29a9bdf346aaa81fb6b9507e5249a52fdaf8e39e26b0b7dc45992a7e233b70f70a360305e300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e041604140ae27546bc7eccb1b4b597bd354f0c0b1f1f8f8e301f0603551d2304183016801445aff715b0dd786741fee996ebc16547a3931b1e300a06082a8648ce3d0403020349003046022100a0d434ecb5fc3bfd7da5f41904517ad2836249f561bd834ba7a438a8ab7a4ce8022100fac845bb7a02513b58e9f319654dbe49b0f02b95835bac568c71f8a18cdde9ab6861757468446174615881${RP_ID_HASH}4100000000d5aa33581e8ca478e20fe713f5d32ff20020ce9f840ed96599580cd140fbc7bb3230633f50f61041aff73308ae71caa8a2bda401010327200621582044e06ddd331c36a8dc667bab52bcae63486c916aa5e339e6acebaa84934bf832`,
      verdict: 'user-verification',
    },
    assertion: {
      challenge: '895957e01c633a698348a2d8a31a54b7db27e8c1c43b2080d79ae2190267bfd2',
      clientDataJSON: clientData(
        'get',
        '895957e01c633a698348a2d8a31a54b7db27e8c1c43b2080d79ae2190267bfd2',
        false,
      ),
      authenticatorData: `${RP_ID_HASH}0100000000`,
      signature:
        'f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b011f0d6fecb097d6607525713223a0dc0d453993dae00b',
      verdict: 'user-verification',
    },
  },
}
