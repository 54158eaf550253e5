import type { Texts } from '../worker/src/languages/texts.js'

/** French. People are addressed as “vous”, without a word that would tell man from woman. */
export const texts: Texts = {
  site: {
    tab: '{title} · {name}',
    terms: 'Conditions',
    privacy: 'Confidentialité',
    help: 'Aide',
  },
  signIn: {
    title: 'Connexion',
    titleAt: 'Connexion à {name}',
    titleAgain: 'Reconnectez-vous',
    stale: 'Votre connexion remonte à un certain temps. Pour continuer, connectez-vous à nouveau.',
    waits:
      'Ce que vous avez ajouté récemment ne compte pas encore comme second facteur. Utilisez ce que vous aviez avant ; la page de votre compte indique à partir de quand cela compte.',
    weak: 'Cela demande une connexion plus forte : une clé d’accès ou une deuxième étape. Pour continuer, connectez-vous à nouveau.',
    account: 'Votre compte',
    continueAs: 'Continuer en tant que {name}',
    goOn: 'Continuer',
    useAnother: 'Utiliser un autre compte',
    lastUsed: 'Dernière utilisation',
    or: 'ou',
    passkeysOnly:
      'Ici, on se connecte avec une clé d’accès. Il faut pour cela JavaScript et un navigateur compatible avec les clés d’accès.',
    nothingConfigured: 'Aucune méthode de connexion n’est encore configurée.',
    configure:
      'Si vous gérez ce service : le journal indique ce qui manque à un fournisseur configuré. S’il n’y en a aucun, définissez l’identifiant et le secret d’un fournisseur, par exemple {id} et {secret}.',
    agree: 'En continuant, vous acceptez les {terms}.',
    agreeTerms: 'conditions d’utilisation',
    signUp: 'Première visite ? Votre première connexion crée votre compte.',
    signUpButPassword:
      'Première visite ? Votre première connexion crée votre compte, sauf par mot de passe.',
  },
  ways: {
    continueWith: 'Continuer avec {name}',
    add: 'Ajouter {name}',
    submit: 'Se connecter',
    submitWith: 'Se connecter avec {name}',
    address: 'Adresse e-mail',
    sendLink: 'M’envoyer un lien de connexion',
    addAddress: 'Ajouter cette adresse',
    addAddressOpen: 'Ajouter une adresse e-mail',
    needsScript:
      'Ce formulaire a besoin de JavaScript pour distinguer les personnes des programmes.',
  },
  password: {
    link: 'Créer un compte avec un mot de passe, ou le réinitialiser',
    askHow:
      'Nous envoyons un lien à votre adresse e-mail. Il ouvre la page où vous choisissez un mot de passe.',
    forgot: 'Mot de passe oublié ?',
    none: 'Vous n’avez pas encore de mot de passe.',
    current: 'Mot de passe actuel',
    new: 'Nouveau mot de passe',
    rule: 'Nombre minimal de caractères : {count}. Plusieurs mots à la suite conviennent très bien.',
    others: 'Vos autres appareils seront déconnectés.',
    save: 'Enregistrer le mot de passe',
    notNow: 'Pas maintenant',
    remove: 'Supprimer le mot de passe',
    removeWarning: 'Vous vous connecterez par e-mail ou par une autre de vos méthodes.',
    offerTitle: 'Se connecter plus vite la prochaine fois',
    offerHow:
      'Une clé d’accès sur cet appareil remplace votre mot de passe et vous protège des fausses pages de connexion.',
  },
  passkeys: {
    signIn: 'Utiliser une clé d’accès',
    add: 'Ajouter une clé d’accès',
    name: 'Votre nom (facultatif)',
    signUp: 'Créer un compte avec une clé d’accès',
    noneCreated: 'Aucune clé d’accès n’a été créée. Vous pouvez réessayer à tout moment.',
    noneUsed: 'Aucune clé d’accès n’a été utilisée. Vous pouvez réessayer à tout moment.',
    isThere: 'Il y a déjà une clé d’accès pour votre compte sur cet appareil.',
    failed: 'Cela n’a pas fonctionné. Réessayez dans un instant ou rechargez cette page.',
  },
  who: {
    label: 'Compte actuel',
    signedInAs: 'Session ouverte en tant que',
    signedIn: 'Votre session est ouverte',
  },
  signOut: {
    title: 'Déconnexion',
    question: 'Voulez-vous vous déconnecter ?',
    submit: 'Se déconnecter',
    cancel: 'Annuler',
  },
  parts: {
    back: 'Retour à {name}',
    copy: 'Copier',
    copied: 'Copié',
  },
  device: {
    title: 'Connecter un appareil',
    how: 'Saisissez le code affiché par votre appareil.',
    code: 'Code',
    goOn: 'Continuer',
    wrong: 'Aucun appareil n’attend avec ce code. Vérifiez-le, ou recommencez sur l’appareil.',
    allowed: 'Votre appareil est connecté',
    allowedNext: 'Vous pouvez fermer cette page et continuer sur votre appareil.',
    denied: 'Votre appareil n’a pas été connecté',
    deniedNext: 'Vous pouvez fermer cette page.',
  },
  keys: {
    title: 'Clés d’API',
    none: 'Aucune clé d’API pour l’instant.',
    make: 'Nouvelle clé pour {name}',
    name: 'Nom',
    may: 'Elle peut :',
    choose: 'Choisissez ce que la clé peut faire.',
    days: 'Jours avant son expiration',
    makeIt: 'Créer la clé',
    made: 'Votre nouvelle clé d’API',
    once: 'Copiez-la maintenant : elle ne sera plus affichée. Gardez-la secrète comme un mot de passe.',
    goOn: 'Je l’ai enregistrée',
    until: 'Expire : {time}',
    unused: 'Jamais utilisée',
    end: 'Révoquer la clé',
    endOf: 'Révoquer la clé : {name}',
    endWarning: 'Les programmes qui utilisent cette clé ne fonctionneront plus.',
  },
  consent: {
    title: 'Autoriser {name} à utiliser votre compte ?',
    may: 'L’application pourra :',
    openid: 'Vous reconnaître',
    profile: 'Voir votre nom et votre photo',
    email: 'Voir votre adresse e-mail',
    offline: 'Garder l’accès pendant un an au plus, ou jusqu’à ce que vous y mettiez fin',
    session: 'Cet accès prend fin lorsque vous vous déconnectez.',
    leadsTo: 'Vous irez ensuite sur {host}.',
    leadsHere: 'N’autorisez que si vous avez lancé l’application sur cet appareil : {host}',
    unknown: 'Cette application vient de {host}. Nous ne l’avons pas vérifiée.',
    device:
      'Quelqu’un d’autre vous a peut-être envoyé ce lien. N’autorisez que si votre propre appareil affiche ce code : {code}',
    allow: 'Autoriser',
    deny: 'Ne pas autoriser',
  },
  account: {
    apps: 'Applications',
    noApps: 'Aucune application connectée pour l’instant.',
    endAccess: 'Mettre fin à l’accès',
    endAccessWarning: 'Cette application ne pourra plus utiliser votre compte, sur aucun appareil.',
    title: 'Votre compte',
    sections: 'Pages de votre compte',
    overview: 'Aperçu',
    devices: 'Appareils',
    passkeys: 'Clés d’accès',
    security: 'Sécurité',
    sessions: 'Vos sessions ouvertes',
    thisDevice: 'Cet appareil',
    begun: 'Connexion : {time}',
    added: 'Ajout : {time}',
    lastUsed: 'Dernière utilisation : {time}',
    utc: 'Les heures sont en UTC.',
    signOut: 'Déconnecter',
    signOutOf: 'Déconnecter : {session}',
    signOutOthers: 'Se déconnecter partout ailleurs',
    signOutAllWarning:
      'Toutes vos sessions prennent fin, y compris celle de cet appareil. Vous vous reconnectez ensuite là où vous le voulez.',
    signOutAll: 'Se déconnecter partout',
    ways: 'Méthodes de connexion',
    usedNow: 'En cours d’utilisation',
    remove: 'Supprimer',
    confirm: 'Confirmer',
    confirmWay: 'Confirmer : {way}',
    waits:
      'Ajouté après une connexion en une étape : cela compte pleinement dès que vous le confirmez.',
    waitsUntil:
      'Ajouté après une connexion en une étape : cela compte pleinement à partir du {time}, ou dès que vous le confirmez.',
    removeWay: 'Supprimer : {way}',
    onlyWay:
      'C’est votre seule méthode de connexion. Pour la supprimer, ajoutez-en d’abord une autre.',
    onlyPasskey: 'Une clé d’accès est votre seule méthode de connexion.',
    onlyPasskeyAdvice:
      'Ajoutez-en une autre : si la clé d’accès est perdue, personne ne peut vous faire entrer. Les codes de récupération ne la remplacent pas.',
    noPasskeys:
      'Vous n’avez pas encore de clé d’accès. Elle vous connecte avec votre empreinte digitale, votre visage ou un code PIN, et il n’y a pas de mot de passe que l’on puisse voler.',
    synced: 'Synchronisée',
    onOneDevice: 'Sur un seul appareil',
    renameOpen: 'Renommer…',
    rename: 'Renommer',
    passkeyName: 'Nom de cette clé d’accès',
    delete: 'Supprimer votre compte',
    deleteOpen: 'Supprimer mon compte…',
    deleteSubmit: 'Supprimer mon compte',
    deleteWarning:
      'Vos sessions, vos méthodes de connexion et les liens avec les fournisseurs sont supprimés définitivement.',
    removeWarning:
      'Plus personne ne pourra se connecter à votre compte ainsi. Les sessions restent ouvertes.',
    addSame: 'Un autre compte chez un fournisseur déjà ajouté…',
    addWay: 'Ajouter une méthode de connexion',
  },
  factor: {
    title: 'Second facteur',
    off: 'Une application d’authentification, demandée après chaque connexion sauf avec une clé d’accès.',
    setUp: 'Configurer une application',
    on: 'Votre application d’authentification est activée.',
    codesLeft: {
      one: 'Il reste {count} code de récupération.',
      other: 'Il reste {count} codes de récupération.',
    },
    fewCodesLeft: {
      one: 'Il reste {count} code de récupération : créez-en de nouveaux.',
      other: 'Il reste {count} codes de récupération : créez-en de nouveaux.',
    },
    newCodes: 'Nouveaux codes de récupération',
    switchOff: 'Désactiver l’application',
    switchOffWarning:
      'Ensuite, aucune connexion ne demandera de code, et vos codes de récupération ne seront plus valables.',
  },
  factorCode: {
    tab: 'Second facteur',
    title: 'Saisissez le code de votre application d’authentification',
    who: 'Vous vous connectez en tant que {name}',
    code: 'Code',
    submit: 'Se connecter',
    optional:
      'Cette application a été configurée récemment et ne compte pas encore pleinement : vous pouvez continuer sans code. Si elle n’est pas à vous, désactivez-la sur la page de votre compte.',
    without: 'Continuer sans code',
    startAgain: 'Recommencer',
    useRecovery: 'Utiliser un code de récupération',
    recoveryCode: 'Code de récupération',
    useApp: 'Utiliser l’application d’authentification',
  },
  factorSetup: {
    title: 'Configurer un second facteur',
    demanded: 'Pour vous connecter ici, il vous en faut un.',
    who: 'Votre compte : {name}',
    how: 'Scannez ceci avec une application d’authentification, ou saisissez-y la clé.',
    picture: 'Code QR de la clé',
    code: 'Code à six chiffres de l’application',
    submit: 'Activer',
    notNow: 'Pas maintenant',
  },
  recoveryCodes: {
    tab: 'Codes de récupération',
    title: 'Vos codes de récupération',
    what: 'Chacun remplace une seule fois un code de votre application. Sans l’application et sans ces codes, vous ne pouvez pas vous connecter.',
    keep: 'Ils ne sont affichés que cette fois-ci. Imprimez cette page ou notez-les, et conservez-les dans un autre lieu que votre téléphone.',
    goOn: 'Je les ai conservés : continuer',
    download: 'Télécharger',
  },
  code: {
    title: 'Consultez vos e-mails',
    sent: 'Un e-mail de connexion est en route vers {address}',
    sentToAdd: 'Un e-mail est en route vers {address}',
    how: 'Ouvrez le lien qu’il contient avec ce navigateur, ou saisissez le code qui s’y trouve.',
    worksMinutes: {
      one: 'Le lien et le code sont encore valables {count} minute.',
      other: 'Le lien et le code sont encore valables {count} minutes.',
    },
    worksHours: {
      one: 'Le lien et le code sont encore valables {count} heure.',
      other: 'Le lien et le code sont encore valables {count} heures.',
    },
    over: 'L’e-mail n’est plus valable. Demandez-en un nouveau.',
    openMail: 'Ouvrir {name}',
    label: 'Code à six chiffres',
    submit: 'Se connecter',
    submitToAdd: 'Ajouter cette adresse',
    again: 'Envoyer un nouvel e-mail',
    noMail: 'Pas d’e-mail ? Regardez aussi dans le courrier indésirable.',
    waitSeconds: {
      one: 'Vous pourrez en demander un nouveau dans {count} seconde.',
      other: 'Vous pourrez en demander un nouveau dans {count} secondes.',
    },
    useAnother: 'Utiliser une autre adresse',
    notHere:
      'Si un e-mail de connexion est en route vers vous, ouvrez le lien qu’il contient. Son code fonctionne dans le navigateur où il a été demandé.',
    which: 'L’objet du bon e-mail contient {mark}.',
  },
  confirm: {
    tab: 'Confirmer la connexion',
    title: 'Se connecter sur cet appareil ?',
    who: 'Ce lien vous connecte en tant que {address}',
    from: 'Il a été demandé depuis : {device}. Si ce n’était pas vous, ou si ce n’est pas votre adresse, annulez ce lien ici : rien ne s’est passé.',
    submit: 'Se connecter',
    refuse: 'Ce n’était pas moi',
    refusedTitle: 'Ce lien ne fonctionne plus',
    refused:
      'Plus personne ne peut se connecter avec ce lien, ni avec le code qui l’accompagnait. Si d’autres e-mails de ce genre arrivent, ignorez-les : sans eux, personne n’entre.',
  },
  companies: {
    otherWays: 'Autres façons de se connecter',
    unknown: 'Aucune entreprise ne se connecte ici avec cette adresse. Vérifiez son orthographe.',
    signedInBy: 'Vous vous êtes connecté avec {name}.',
    manages: '{name} gère votre façon de vous connecter.',
    joinTitle: 'Avez-vous déjà un compte ici ?',
    joinHow:
      '{name} vous connecte ici pour la première fois. Si vous avez déjà utilisé ce site, prouvez-le une fois, et votre compte reste le vôtre.',
    joinNew: 'Non, c’est ma première fois ici',
    joinUnknown:
      'Personne n’a de compte ici de cette façon. Essayez-en une autre, ou continuez sans.',
  },
  boundSessions: {
    label: 'Liée à cet appareil',
    waiting: 'Votre navigateur lie cette session à votre appareil',
  },
  errors: {
    credentials: 'La connexion a échoué. Vérifiez les informations saisies.',
    notLinked:
      'Ce compte ou cette adresse appartient déjà à quelqu’un ici, peut-être à vous-même avec une autre méthode, ou a été supprimé comme méthode de connexion. Rien n’a changé. Connectez-vous comme avant. S’il appartient à un autre de vos comptes, connectez-vous à celui-ci et supprimez-le là-bas, ou supprimez ce compte. Vous pourrez ensuite l’ajouter ici.',
    callback: 'Le fournisseur n’a pas pu vous connecter. Veuillez réessayer.',
    cancelled: 'Vous avez annulé la connexion. Vous pouvez réessayer à tout moment.',
    denied: 'Vous n’avez pas l’autorisation de vous connecter.',
    blocked: 'Ce compte est bloqué. Si vous pensez qu’il s’agit d’une erreur, demandez de l’aide.',
    link: 'Ce lien a expiré ou a déjà été utilisé. Veuillez en demander un nouveau.',
    form: 'Ce formulaire est resté ouvert trop longtemps ou venait d’ailleurs. Veuillez réessayer.',
    check:
      'Cette connexion a été commencée ailleurs ou il y a trop longtemps. Veuillez recommencer.',
    other: 'La connexion n’a pas fonctionné. Veuillez réessayer.',
    code: 'Ce code ne fonctionne pas. Veuillez demander un nouvel e-mail.',
    wrongFactor:
      'Ce code n’est pas le bon ou a déjà été utilisé. Attendez le suivant, puis réessayez.',
    lateFactor: 'Cela a pris trop de temps. Veuillez réessayer.',
    tooMany: 'Trop de tentatives. Veuillez attendre un moment, puis réessayer.',
    unknownPasskey:
      'Cette clé d’accès n’est plus connue ici. Utilisez-en une autre, ou une autre méthode de connexion.',
    address:
      'Ce n’est pas une adresse e-mail à laquelle un message peut être envoyé. Veuillez la vérifier.',
    unbound: 'Ce navigateur ne peut pas lier votre session à votre appareil. Essayez-en un autre.',
    human:
      'Le formulaire contient un contrôle qui a besoin de JavaScript. Attendez qu’il soit terminé, puis envoyez à nouveau le formulaire.',
    notSent: 'L’e-mail n’a pas pu être envoyé. Veuillez réessayer dans un instant.',
    wrongCode:
      'Ce code n’est pas le bon ou n’est plus valable. Vérifiez-le ou demandez un nouvel e-mail.',
    spentCode:
      'Trop de codes erronés. Le lien de l’e-mail fonctionne encore, ou demandez un nouvel e-mail.',
    passwordInvalid: 'Saisissez un mot de passe.',
    passwordShort: 'Ce mot de passe est trop court.',
    passwordLong: 'Ce mot de passe est trop long. Il peut avoir 256 caractères.',
    passwordCommon: 'Ce mot de passe est trop facile à deviner. Choisissez-en un autre.',
    passwordContext:
      'Ce mot de passe est surtout le nom de ce site ou votre adresse. Choisissez-en un autre.',
    passwordBreached: 'Ce mot de passe figure dans une fuite de données. Choisissez-en un autre.',
    wrongPassword: 'Le mot de passe actuel est incorrect.',
    noAddress:
      'Un mot de passe demande une adresse e-mail vérifiée. Ajoutez-en d’abord une à votre compte.',
    companyOnly:
      'Votre entreprise gère votre façon de vous connecter. Saisissez votre adresse pour continuer là-bas.',
    companyDomain:
      'Le compte de votre entreprise n’indique aucune adresse valable ici. Adressez-vous aux personnes qui le gèrent.',
    companyUnavailable:
      'La connexion de votre entreprise ne répond pas. Réessayez dans quelques minutes.',
  },
  errorPages: {
    tooManyKeys: 'Vous avez trop de clés d’API. Révoquez-en une d’abord.',
    app: 'Ce lien n’est pas valide, ou l’application n’est pas connue ici. Recommencez dans l’application.',
    configurationTitle: 'La connexion n’est pas bien configurée',
    configuration:
      'Il y a un problème dans la configuration de ce service. Si vous le gérez, son journal indique lequel.',
    deniedTitle: 'Accès refusé',
    denied: 'Vous n’avez pas l’autorisation de vous connecter avec ce compte.',
    linkTitle: 'Ce lien ne fonctionne plus',
    link: 'Il a expiré ou a déjà été utilisé. Veuillez en demander un nouveau.',
    unavailableTab: 'Réessayer',
    unavailableTitle: 'La connexion est indisponible',
    unavailable:
      'Un élément nécessaire à la connexion ne répond pas. Veuillez réessayer dans un instant.',
    lastWayTitle: 'C’est votre dernière méthode de connexion',
    lastWay:
      'Sans elle, plus personne ne pourrait se connecter à votre compte. Ajoutez-en d’abord une autre.',
    manyWaysTitle: 'Vous avez beaucoup de méthodes de connexion',
    manyWays: 'Supprimez-en une que vous n’utilisez plus, puis ajoutez-en une autre.',
    otherTitle: 'Un problème est survenu',
    other: 'La connexion n’a pas fonctionné cette fois-ci. Veuillez recommencer.',
    toAccount: 'Aller à votre compte',
    toSignIn: 'Aller à la connexion',
    reference: 'Si vous demandez de l’aide, indiquez {reference}',
    missingTitle: 'Cette page n’existe pas',
    missing: 'L’adresse est peut-être mal saisie, ou la page a été déplacée.',
    formTitle: 'Cette adresse est réservée aux formulaires',
    form: 'Elle ne peut pas être ouverte seule. Commencez là où se trouve le formulaire.',
  },
  names: {
    email: 'E-mail',
    passkey: 'Clé d’accès',
    credentials: 'Mot de passe',
    username: 'Nom d’utilisateur',
  },
  devices: {
    phone: 'Téléphone',
    tablet: 'Tablette',
    laptop: 'Ordinateur',
    browserOn: '{browser} sur {system}',
    unknown: 'Appareil inconnu',
    and: '{one}, {other}',
  },
  mail: {
    title: 'Connexion à {host}',
    previewMinutes: {
      one: 'Demande faite depuis : {device}. Le lien et le code de cet e-mail vous permettent d’entrer pendant {count} minute. Si vous n’avez rien demandé, ignorez-le.',
      other:
        'Demande faite depuis : {device}. Le lien et le code de cet e-mail vous permettent d’entrer pendant {count} minutes. Si vous n’avez rien demandé, ignorez-le.',
    },
    previewHours: {
      one: 'Demande faite depuis : {device}. Le lien et le code de cet e-mail vous permettent d’entrer pendant {count} heure. Si vous n’avez rien demandé, ignorez-le.',
      other:
        'Demande faite depuis : {device}. Le lien et le code de cet e-mail vous permettent d’entrer pendant {count} heures. Si vous n’avez rien demandé, ignorez-le.',
    },
    byLink: 'Connectez-vous sur l’appareil où vous lisez cet e-mail :',
    button: 'Se connecter',
    byCode: 'Ou saisissez ce code sur la page où vous l’avez demandé :',
    limitsMinutes: {
      one: 'Utilisez l’un des deux d’ici {count} minute. Aucun ne fonctionne une seconde fois.',
      other: 'Utilisez l’un des deux d’ici {count} minutes. Aucun ne fonctionne une seconde fois.',
    },
    limitsHours: {
      one: 'Utilisez l’un des deux d’ici {count} heure. Aucun ne fonctionne une seconde fois.',
      other: 'Utilisez l’un des deux d’ici {count} heures. Aucun ne fonctionne une seconde fois.',
    },
    device: 'Demande faite depuis : {device}',
    warning:
      'Si vous n’avez pas demandé cet e-mail, ignorez-le : sans lui, personne n’entre. Ne donnez jamais le lien ou le code à qui que ce soit, quelle que soit la personne qui les demande.',
  },
  mailToAdd: {
    title: 'Ajouter cette adresse à un compte sur {host}',
    preview:
      'Demande faite depuis : {device}. La personne à qui appartient ce compte demande à se connecter aussi avec cette adresse. Si ce n’est pas vous, ignorez cet e-mail.',
    byLink:
      'Si ce compte est le vôtre, ajoutez cette adresse dans le navigateur où vous l’avez demandé :',
    button: 'Ajouter cette adresse',
    warning:
      'Si vous n’avez pas demandé cet e-mail, ignorez-le : sans lui, rien n’est ajouté. Ne donnez jamais le lien ou le code à qui que ce soit, quelle que soit la personne qui les demande : elle se connecterait avec votre adresse.',
  },
  notices: {
    newBrowserTitle: 'Nouvelle connexion à votre compte',
    newBrowser:
      'Un navigateur que vous n’aviez pas encore utilisé ici s’est connecté à votre compte : {time}',
    newBrowserWhere: 'Connexion sur {host}, depuis : {device}',
    where: 'Modifié sur {host}, depuis : {device}',
    warning:
      'Si ce n’était pas vous, quelqu’un d’autre a ouvert une session sur votre compte : connectez-vous, ouvrez la page de votre compte, supprimez ce que vous ne connaissez pas et choisissez « Se déconnecter partout ».',
    waits: 'Dans sept jours, cela comptera pleinement. Si ce n’est pas à vous, supprimez-le avant.',
    addedTitle: 'Une méthode de connexion a été ajoutée à votre compte : {name}',
    added: 'Elle permet désormais de se connecter à votre compte.',
    removedTitle: 'Une méthode de connexion a été supprimée de votre compte : {name}',
    removed: 'Elle ne permet plus de se connecter à votre compte.',
    factorSetUpTitle: 'Votre compte demande un second facteur',
    factorSetUp:
      'Désormais, la connexion demande aussi un code de votre application d’authentification.',
    factorRemovedTitle: 'Votre compte ne demande plus de second facteur',
    factorRemoved:
      'Désormais, la connexion ne demande plus de code de votre application d’authentification.',
    newCodesTitle: 'Vous avez de nouveaux codes de récupération',
    newCodes: 'Les codes de récupération que vous aviez auparavant ne fonctionnent plus.',
    codeUsedTitle: 'Un code de récupération a été utilisé',
    codeUsed:
      'Une connexion à votre compte a utilisé un code de récupération à la place d’un code de votre application d’authentification. Il ne fonctionne plus.',
    mergedTitle: 'Deux de vos comptes n’en font plus qu’un',
    merged: 'Désormais, chaque méthode de connexion à l’un ou à l’autre mène au même compte.',
    erasedTitle: 'Votre compte est supprimé',
    erased:
      'Vos sessions, vos méthodes de connexion et les liens avec les fournisseurs ont disparu définitivement.',
    erasedWarning:
      'Si ce n’était pas vous, quelqu’un d’autre avait ouvert une session sur votre compte : écrivez aux responsables de ce site.',
    passwordSetTitle: 'Un mot de passe a été défini pour votre compte',
    passwordChangedTitle: 'Le mot de passe de votre compte a été modifié',
    passwordChanged: 'Tous les autres appareils ont été déconnectés.',
    passwordRemovedTitle: 'Le mot de passe de votre compte a été supprimé',
    wrongPasswordsTitle: 'Des mots de passe incorrects ont été essayés pour votre compte',
    wrongPasswords:
      'Dix mots de passe incorrects ont été saisis pour votre compte en une journée. Personne n’a pu se connecter avec.',
    wrongPasswordsHelp:
      'Si ce n’était pas vous, vous n’avez rien à faire. La connexion par un lien reçu par e-mail fonctionne toujours.',
  },
}
