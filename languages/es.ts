import type { Texts } from '../worker/src/languages/texts.js'

/** Spanish, for Spain and America. People are addressed as “tú”. */
export const texts: Texts = {
  site: {
    tab: '{title} · {name}',
    terms: 'Términos',
    privacy: 'Privacidad',
    help: 'Ayuda',
  },
  signIn: {
    title: 'Iniciar sesión',
    titleAt: 'Iniciar sesión en {name}',
    titleAgain: 'Iniciar sesión de nuevo',
    stale: 'Iniciaste sesión hace un tiempo. Para continuar, vuelve a iniciarla.',
    waits:
      'Lo que has añadido hace poco todavía no cuenta como segundo factor. Usa lo que tenías antes; la página de tu cuenta indica desde cuándo cuenta.',
    weak: 'Para esto hace falta un inicio de sesión más seguro: una llave de acceso o un segundo paso. Para continuar, vuelve a iniciar sesión.',
    account: 'Tu cuenta',
    continueAs: 'Continuar como {name}',
    goOn: 'Continuar',
    useAnother: 'Usar otra cuenta',
    lastUsed: 'Último uso',
    or: 'o',
    passkeysOnly:
      'Aquí se inicia sesión con una llave de acceso. Para ello hacen falta JavaScript y un navegador compatible con las llaves de acceso.',
    nothingConfigured: 'Todavía no hay ningún método de acceso configurado.',
    configure:
      'Si gestionas este servicio: el registro indica qué le falta a un proveedor configurado. Si no hay ninguno, define el id y el secreto de un proveedor, por ejemplo {id} y {secret}.',
    agree: 'Al continuar, aceptas los {terms}.',
    agreeTerms: 'términos',
    signUp: '¿Primera vez aquí? Tu primer acceso crea tu cuenta.',
    signUpButPassword: '¿Primera vez aquí? Tu primer acceso crea tu cuenta, salvo con contraseña.',
  },
  ways: {
    continueWith: 'Continuar con {name}',
    add: 'Añadir {name}',
    submit: 'Iniciar sesión',
    submitWith: 'Iniciar sesión con {name}',
    address: 'Dirección de correo electrónico',
    sendLink: 'Enviarme un enlace de acceso',
    addAddress: 'Añadir esta dirección',
    addAddressOpen: 'Añadir una dirección de correo',
    needsScript:
      'Este formulario necesita JavaScript para distinguir a las personas de los programas.',
  },
  password: {
    link: 'Crear una cuenta con contraseña o restablecerla',
    askHow:
      'Enviamos un enlace a tu dirección de correo electrónico. Abre la página donde eliges una contraseña.',
    forgot: '¿Has olvidado la contraseña?',
    none: 'Todavía no tienes contraseña.',
    current: 'Contraseña actual',
    new: 'Contraseña nueva',
    rule: 'Número mínimo de caracteres: {count}. Varias palabras seguidas son una buena elección.',
    others: 'Se cerrará la sesión en tus otros dispositivos.',
    save: 'Guardar contraseña',
    notNow: 'Ahora no',
    remove: 'Quitar la contraseña',
    removeWarning: 'Después iniciarás sesión por correo electrónico o de otra de tus formas.',
    offerTitle: 'Inicia sesión más rápido la próxima vez',
    offerHow:
      'Una clave de acceso en este dispositivo sustituye a la contraseña y te protege de páginas de acceso falsas.',
  },
  passkeys: {
    signIn: 'Usar una llave de acceso',
    add: 'Añadir una llave de acceso',
    name: 'Tu nombre (opcional)',
    signUp: 'Crear cuenta con llave de acceso',
    noneCreated:
      'No se ha creado ninguna llave de acceso. Puedes volver a intentarlo cuando quieras.',
    noneUsed: 'No se ha usado ninguna llave de acceso. Puedes volver a intentarlo cuando quieras.',
    isThere: 'En este dispositivo ya hay una llave de acceso para tu cuenta.',
    failed: 'No ha funcionado. Vuelve a intentarlo dentro de un momento o recarga esta página.',
  },
  who: {
    label: 'Cuenta actual',
    signedInAs: 'Has iniciado sesión como',
    signedIn: 'Has iniciado sesión',
  },
  signOut: {
    title: 'Cerrar sesión',
    question: '¿Quieres cerrar sesión?',
    submit: 'Cerrar sesión',
    cancel: 'Cancelar',
  },
  parts: {
    back: 'Volver a {name}',
    copy: 'Copiar',
    copied: 'Copiado',
  },
  device: {
    title: 'Conectar un dispositivo',
    how: 'Escriba el código que muestra su dispositivo.',
    code: 'Código',
    goOn: 'Continuar',
    wrong:
      'Ningún dispositivo espera con este código. Compruébelo o empiece de nuevo en el dispositivo.',
    allowed: 'Su dispositivo está conectado',
    allowedNext: 'Puede cerrar esta página y continuar en su dispositivo.',
    denied: 'Su dispositivo no se ha conectado',
    deniedNext: 'Puede cerrar esta página.',
  },
  keys: {
    title: 'Claves de API',
    none: 'Aún no hay claves de API.',
    make: 'Nueva clave para {name}',
    name: 'Nombre',
    may: 'Puede:',
    choose: 'Elija lo que puede hacer la clave.',
    days: 'Días hasta que caduque',
    makeIt: 'Crear clave',
    made: 'Su nueva clave de API',
    once: 'Cópiela ahora: no se vuelve a mostrar. Guárdela en secreto como una contraseña.',
    goOn: 'La he guardado',
    until: 'Caduca: {time}',
    unused: 'Nunca usada',
    end: 'Anular clave',
    endOf: 'Anular clave: {name}',
    endWarning: 'Los programas que usan esta clave dejarán de funcionar.',
  },
  consent: {
    title: '¿Permitir que {name} use tu cuenta?',
    may: 'La aplicación podrá:',
    openid: 'Reconocerte',
    profile: 'Ver tu nombre y tu foto',
    email: 'Ver tu dirección de correo',
    offline: 'Conservar el acceso durante un año como máximo, o hasta que lo retires',
    session: 'El acceso termina cuando cierras sesión.',
    leadsTo: 'Después irás a {host}.',
    leadsHere: 'Permítelo solo si has iniciado la aplicación en este dispositivo: {host}',
    unknown: 'Esta aplicación es de {host}. No la hemos comprobado.',
    device:
      'Puede que otra persona te haya enviado este enlace. Permítelo solo si tu propio dispositivo muestra este código: {code}',
    allow: 'Permitir',
    deny: 'No permitir',
  },
  account: {
    apps: 'Aplicaciones',
    noApps: 'Aún no hay aplicaciones conectadas.',
    endAccess: 'Retirar el acceso',
    endAccessWarning: 'Esta aplicación ya no podrá usar tu cuenta en ningún dispositivo.',
    title: 'Tu cuenta',
    sections: 'Páginas de tu cuenta',
    overview: 'Resumen',
    devices: 'Dispositivos',
    passkeys: 'Llaves de acceso',
    security: 'Seguridad',
    sessions: 'Dónde has iniciado sesión',
    thisDevice: 'Este dispositivo',
    begun: 'Inicio de sesión: {time}',
    added: 'Añadido: {time}',
    lastUsed: 'Último uso: {time}',
    utc: 'Las horas están en UTC.',
    signOut: 'Cerrar sesión',
    signOutOf: 'Cerrar sesión: {session}',
    signOutOthers: 'Cerrar las demás sesiones',
    signOutAllWarning:
      'Terminan todas tus sesiones, también la de este dispositivo. Después vuelves a iniciar sesión donde quieras.',
    signOutAll: 'Cerrar todas las sesiones',
    ways: 'Métodos de acceso',
    usedNow: 'En uso',
    remove: 'Quitar',
    confirm: 'Confirmar',
    confirmWay: 'Confirmar: {way}',
    waits:
      'Añadido tras un inicio de sesión de un solo paso: contará del todo cuando lo confirmes.',
    waitsUntil:
      'Añadido tras un inicio de sesión de un solo paso: contará del todo a partir de {time}, o cuando lo confirmes.',
    removeWay: 'Quitar: {way}',
    onlyWay: 'Es tu único método de acceso. Para quitarlo, añade antes otro.',
    onlyPasskey: 'Una llave de acceso es tu único método de acceso.',
    onlyPasskeyAdvice:
      'Añade otro: si se pierde la llave de acceso, nadie puede dejarte entrar. Los códigos de recuperación no la sustituyen.',
    noPasskeys:
      'Todavía no tienes ninguna llave de acceso. Con ella inicias sesión mediante tu huella digital, tu cara o un PIN, y no hay ninguna contraseña que se pueda robar.',
    synced: 'Sincronizada',
    onOneDevice: 'En un solo dispositivo',
    renameOpen: 'Cambiar nombre…',
    rename: 'Cambiar nombre',
    passkeyName: 'Nombre de esta llave de acceso',
    delete: 'Eliminar tu cuenta',
    deleteOpen: 'Eliminar mi cuenta…',
    deleteSubmit: 'Eliminar mi cuenta',
    deleteWarning:
      'Se eliminan para siempre tus sesiones, tus métodos de acceso y las conexiones con proveedores.',
    removeWarning:
      'Nadie podrá iniciar sesión en tu cuenta de esta forma. Las sesiones siguen abiertas.',
    addSame: 'Otra cuenta de un proveedor que ya tienes…',
    addWay: 'Añadir un método de acceso',
  },
  factor: {
    title: 'Segundo factor',
    off: 'Una aplicación de autenticación, que se pide después de cada inicio de sesión, salvo con una llave de acceso.',
    setUp: 'Configurar una aplicación',
    on: 'Tu aplicación de autenticación está activada.',
    codesLeft: {
      one: 'Queda {count} código de recuperación.',
      other: 'Quedan {count} códigos de recuperación.',
    },
    fewCodesLeft: {
      one: 'Queda {count} código de recuperación: crea otros nuevos.',
      other: 'Quedan {count} códigos de recuperación: crea otros nuevos.',
    },
    newCodes: 'Nuevos códigos de recuperación',
    switchOff: 'Desactivar la aplicación',
    switchOffWarning:
      'A partir de entonces no se pedirá ningún código al iniciar sesión, y tus códigos de recuperación dejarán de servir.',
  },
  factorCode: {
    tab: 'Segundo factor',
    title: 'Escribe el código de tu aplicación de autenticación',
    who: 'Inicias sesión como {name}',
    code: 'Código',
    submit: 'Iniciar sesión',
    optional:
      'Esta aplicación se configuró hace poco y todavía no cuenta del todo, así que puedes continuar sin código. Si no es tuya, desactívala en la página de tu cuenta.',
    without: 'Continuar sin código',
    startAgain: 'Empezar de nuevo',
    useRecovery: 'Usar un código de recuperación',
    recoveryCode: 'Código de recuperación',
    useApp: 'Usar la aplicación de autenticación',
  },
  factorSetup: {
    title: 'Configurar un segundo factor',
    demanded: 'Para iniciar sesión aquí necesitas uno.',
    who: 'Tu cuenta: {name}',
    how: 'Escanea esto con una aplicación de autenticación o escribe en ella la clave.',
    picture: 'Código QR de la clave',
    code: 'Código de seis dígitos de la aplicación',
    submit: 'Activar',
    notNow: 'Ahora no',
  },
  recoveryCodes: {
    tab: 'Códigos de recuperación',
    title: 'Tus códigos de recuperación',
    what: 'Cada uno sustituye una sola vez a un código de tu aplicación. Sin la aplicación y sin ellos no puedes iniciar sesión.',
    keep: 'Solo se muestran esta vez. Imprime esta página o anótalos, y guárdalos en un lugar distinto del de tu teléfono.',
    goOn: 'Los he guardado: continuar',
    download: 'Descargar',
  },
  code: {
    title: 'Revisa tu correo',
    sent: 'Un correo para iniciar sesión está en camino a {address}',
    sentToAdd: 'Un correo está en camino a {address}',
    how: 'Abre su enlace con este navegador o escribe el código que contiene.',
    worksMinutes: {
      one: 'El enlace y el código funcionan todavía durante {count} minuto.',
      other: 'El enlace y el código funcionan todavía durante {count} minutos.',
    },
    worksHours: {
      one: 'El enlace y el código funcionan todavía durante {count} hora.',
      other: 'El enlace y el código funcionan todavía durante {count} horas.',
    },
    over: 'El correo ya no funciona. Pide uno nuevo.',
    openMail: 'Abrir {name}',
    label: 'Código de seis dígitos',
    submit: 'Iniciar sesión',
    submitToAdd: 'Añadir esta dirección',
    again: 'Enviar otro correo',
    noMail: '¿No llega el correo? Mira también en la carpeta de spam.',
    waitSeconds: {
      one: 'Puedes pedir uno nuevo dentro de {count} segundo.',
      other: 'Puedes pedir uno nuevo dentro de {count} segundos.',
    },
    useAnother: 'Usar otra dirección',
    notHere:
      'Si hay un correo para iniciar sesión en camino hacia ti, abre su enlace. Su código funciona en el navegador desde el que se pidió.',
    which: 'El correo correcto tiene {mark} en el asunto.',
  },
  confirm: {
    tab: 'Confirmar inicio de sesión',
    title: '¿Iniciar sesión en este dispositivo?',
    who: 'Con este enlace inicias sesión como {address}',
    from: 'Se pidió desde: {device}. Si no fuiste tú, o si esta no es tu dirección, anula aquí el enlace: no ha pasado nada.',
    submit: 'Iniciar sesión',
    refuse: 'No fui yo',
    refusedTitle: 'El enlace ya no funciona',
    refused:
      'Ya nadie puede iniciar sesión con ese enlace ni con el código que venía con él. Si llegan más correos así, ignóralos: sin ellos no entra nadie.',
  },
  companies: {
    otherWays: 'Otras formas de iniciar sesión',
    unknown: 'Ninguna empresa inicia sesión aquí con esta dirección. Revisa cómo está escrita.',
    signedInBy: 'Has iniciado sesión con {name}.',
    manages: '{name} gestiona cómo inicias sesión.',
    joinTitle: '¿Ya tienes una cuenta aquí?',
    joinHow:
      '{name} inicia tu sesión aquí por primera vez. Si ya habías usado este sitio, demuéstralo una vez y tu cuenta seguirá siendo tuya.',
    joinNew: 'No, es mi primera vez aquí',
    joinUnknown: 'Nadie tiene una cuenta aquí de esa forma. Prueba otra o continúa sin ella.',
  },
  boundSessions: {
    label: 'Vinculada a este dispositivo',
    waiting: 'Su navegador está vinculando esta sesión a su dispositivo',
  },
  errors: {
    credentials: 'No se ha podido iniciar sesión. Revisa los datos que has introducido.',
    notLinked:
      'Esta cuenta o dirección ya pertenece aquí a alguien, quizá a ti con otro método, o se quitó como método de acceso. No ha cambiado nada. Inicia sesión como hasta ahora. Si pertenece a otra cuenta tuya, inicia sesión en ella y quítalo allí, o elimina esa cuenta. Después podrás añadirlo aquí.',
    callback: 'El proveedor no ha podido iniciar tu sesión. Vuelve a intentarlo.',
    cancelled: 'Has cancelado el inicio de sesión. Puedes volver a intentarlo cuando quieras.',
    denied: 'No tienes permiso para iniciar sesión.',
    blocked: 'Esta cuenta está bloqueada. Si crees que es un error, pide ayuda.',
    link: 'Este enlace ha caducado o ya se ha usado. Pide uno nuevo.',
    form: 'Este formulario estuvo abierto demasiado tiempo o venía de otro sitio. Vuelve a intentarlo.',
    check:
      'Este inicio de sesión se empezó en otro sitio o hace demasiado tiempo. Empieza de nuevo.',
    other: 'El inicio de sesión no ha funcionado. Vuelve a intentarlo.',
    code: 'Este código no funciona. Pide un correo nuevo.',
    wrongFactor:
      'Ese código no es correcto o ya se ha usado. Espera al siguiente y vuelve a intentarlo.',
    lateFactor: 'Ha pasado demasiado tiempo. Vuelve a intentarlo.',
    tooMany: 'Demasiados intentos. Espera un rato y vuelve a intentarlo.',
    unknownPasskey:
      'Esta llave de acceso ya no se conoce aquí. Usa otra o inicia sesión con otro método.',
    address:
      'No es una dirección de correo electrónico a la que se pueda enviar un mensaje. Revísala.',
    unbound: 'Este navegador no puede vincular su sesión a su dispositivo. Pruebe con otro.',
    human:
      'El formulario tiene una comprobación que necesita JavaScript. Espera a que termine y vuelve a enviar el formulario.',
    notSent: 'No se ha podido enviar el correo. Vuelve a intentarlo dentro de un momento.',
    wrongCode: 'Ese código no es correcto o ya no funciona. Revísalo o pide un correo nuevo.',
    spentCode:
      'Demasiados códigos incorrectos. El enlace del correo sigue funcionando; también puedes pedir un correo nuevo.',
    passwordInvalid: 'Escribe una contraseña.',
    passwordShort: 'Esta contraseña es demasiado corta.',
    passwordLong: 'Esta contraseña es demasiado larga. Puede tener 256 caracteres.',
    passwordCommon: 'Esta contraseña es demasiado fácil de adivinar. Elige otra.',
    passwordContext:
      'Esta contraseña es sobre todo el nombre de este sitio o tu dirección. Elige otra.',
    passwordBreached: 'Esta contraseña aparece en una filtración de datos. Elige otra.',
    wrongPassword: 'La contraseña actual no es correcta.',
    noAddress:
      'Para tener una contraseña hace falta una dirección de correo verificada. Añade primero una a tu cuenta.',
    companyOnly:
      'Tu empresa gestiona cómo inicias sesión. Escribe tu dirección para continuar allí.',
    companyDomain:
      'La cuenta de tu empresa no indica ninguna dirección válida aquí. Pregunta a quienes la gestionan.',
    companyUnavailable:
      'El inicio de sesión de tu empresa no responde. Inténtalo de nuevo en unos minutos.',
  },
  errorPages: {
    tooManyKeys: 'Tiene demasiadas claves de API. Anule una primero.',
    app: 'Este enlace no es válido o aquí no se conoce la aplicación. Empieza de nuevo en la aplicación.',
    configurationTitle: 'El inicio de sesión no está bien configurado',
    configuration:
      'Hay un problema en la configuración de este servicio. Si lo gestionas, su registro indica cuál es.',
    deniedTitle: 'Acceso denegado',
    denied: 'No tienes permiso para iniciar sesión con esta cuenta.',
    linkTitle: 'Este enlace ya no funciona',
    link: 'Ha caducado o ya se ha usado. Pide uno nuevo.',
    unavailableTab: 'Vuelve a intentarlo',
    unavailableTitle: 'El inicio de sesión no está disponible',
    unavailable:
      'Algo que hace falta para iniciar sesión no responde. Vuelve a intentarlo dentro de un momento.',
    lastWayTitle: 'Es tu último método de acceso',
    lastWay: 'Sin él nadie podría iniciar sesión en tu cuenta. Añade antes otro.',
    manyWaysTitle: 'Tienes muchos métodos de acceso',
    manyWays: 'Quita uno que ya no uses y después añade otro.',
    otherTitle: 'Algo ha ido mal',
    other: 'Esta vez no ha funcionado el inicio de sesión. Empieza de nuevo.',
    toAccount: 'Ir a tu cuenta',
    toSignIn: 'Ir al inicio de sesión',
    reference: 'Si pides ayuda, indica {reference}',
    missingTitle: 'Esta página no existe',
    missing: 'Puede que la dirección esté mal escrita o que la página se haya movido.',
    formTitle: 'Esta dirección es para formularios',
    form: 'No se puede abrir por sí sola. Empieza donde está el formulario.',
  },
  names: {
    email: 'Correo electrónico',
    passkey: 'Llave de acceso',
    credentials: 'Contraseña',
    username: 'Nombre de usuario',
  },
  devices: {
    phone: 'Teléfono',
    tablet: 'Tableta',
    laptop: 'Equipo',
    browserOn: '{browser} en {system}',
    unknown: 'Dispositivo desconocido',
    and: '{one}, {other}',
  },
  mail: {
    title: 'Iniciar sesión en {host}',
    previewMinutes: {
      one: 'Solicitado desde: {device}. El enlace y el código de este correo te dejan entrar durante {count} minuto. Si no lo pediste, ignóralo.',
      other:
        'Solicitado desde: {device}. El enlace y el código de este correo te dejan entrar durante {count} minutos. Si no lo pediste, ignóralo.',
    },
    previewHours: {
      one: 'Solicitado desde: {device}. El enlace y el código de este correo te dejan entrar durante {count} hora. Si no lo pediste, ignóralo.',
      other:
        'Solicitado desde: {device}. El enlace y el código de este correo te dejan entrar durante {count} horas. Si no lo pediste, ignóralo.',
    },
    byLink: 'Inicia sesión en el dispositivo en el que lees este correo:',
    button: 'Iniciar sesión',
    byCode: 'O escribe este código en la página donde lo pediste:',
    limitsMinutes: {
      one: 'Usa uno de los dos antes de que pase {count} minuto. Ninguno funciona una segunda vez.',
      other:
        'Usa uno de los dos antes de que pasen {count} minutos. Ninguno funciona una segunda vez.',
    },
    limitsHours: {
      one: 'Usa uno de los dos antes de que pase {count} hora. Ninguno funciona una segunda vez.',
      other:
        'Usa uno de los dos antes de que pasen {count} horas. Ninguno funciona una segunda vez.',
    },
    device: 'Solicitado desde: {device}',
    warning:
      'Si no pediste este correo, ignóralo: sin él no entra nadie. Nunca des el enlace ni el código a nadie, te los pida quien te los pida.',
  },
  mailToAdd: {
    title: 'Añadir esta dirección a una cuenta de {host}',
    preview:
      'Solicitado desde: {device}. La persona que tiene esa cuenta pide iniciar sesión también con esta dirección. Si no eres tú, ignora este correo.',
    byLink: 'Si la cuenta es tuya, añade esta dirección en el navegador en el que lo pediste:',
    button: 'Añadir esta dirección',
    warning:
      'Si no pediste este correo, ignóralo: sin él no se añade nada. Nunca des el enlace ni el código a nadie, te los pida quien te los pida: esa persona iniciaría sesión con tu dirección.',
  },
  notices: {
    newBrowserTitle: 'Nuevo inicio de sesión en tu cuenta',
    newBrowser:
      'Se ha iniciado sesión en tu cuenta desde un navegador que no habías usado aquí: {time}',
    newBrowserWhere: 'Sesión iniciada en {host}, desde: {device}',
    where: 'Cambiado en {host}, desde: {device}',
    warning:
      'Si no fuiste tú, otra persona ha iniciado sesión en tu cuenta: inicia sesión, abre la página de tu cuenta, quita lo que no conozcas y elige «Cerrar todas las sesiones».',
    waits: 'Dentro de siete días contará del todo. Si no es tuyo, quítalo antes.',
    addedTitle: 'Se ha añadido un método de acceso a tu cuenta: {name}',
    added: 'Desde ahora permite iniciar sesión en tu cuenta.',
    removedTitle: 'Se ha quitado un método de acceso de tu cuenta: {name}',
    removed: 'Ya no permite iniciar sesión en tu cuenta.',
    factorSetUpTitle: 'Tu cuenta pide un segundo factor',
    factorSetUp:
      'Desde ahora, para iniciar sesión hace falta también un código de tu aplicación de autenticación.',
    factorRemovedTitle: 'Tu cuenta ya no pide un segundo factor',
    factorRemoved:
      'Desde ahora, para iniciar sesión no hace falta ningún código de tu aplicación de autenticación.',
    newCodesTitle: 'Tienes nuevos códigos de recuperación',
    newCodes: 'Los códigos de recuperación que tenías antes ya no funcionan.',
    codeUsedTitle: 'Se ha usado un código de recuperación',
    codeUsed:
      'Alguien ha iniciado sesión en tu cuenta con un código de recuperación en lugar de un código de tu aplicación de autenticación. Ese código ya no funciona.',
    mergedTitle: 'Dos de tus cuentas son ahora una sola',
    merged: 'Desde ahora, todos los métodos de acceso de ambas llevan a la misma cuenta.',
    erasedTitle: 'Tu cuenta se ha eliminado',
    erased:
      'Tus sesiones, tus métodos de acceso y las conexiones con proveedores han desaparecido para siempre.',
    erasedWarning:
      'Si no fuiste tú, otra persona había iniciado sesión en tu cuenta: escribe a los responsables de este sitio.',
    passwordSetTitle: 'Se ha creado una contraseña para tu cuenta',
    passwordChangedTitle: 'Se ha cambiado la contraseña de tu cuenta',
    passwordChanged: 'Se ha cerrado la sesión en todos los demás dispositivos.',
    passwordRemovedTitle: 'Se ha quitado la contraseña de tu cuenta',
    wrongPasswordsTitle: 'Se han probado contraseñas incorrectas en tu cuenta',
    wrongPasswords:
      'En un día se han escrito diez contraseñas incorrectas para tu cuenta. Nadie ha entrado con ellas.',
    wrongPasswordsHelp:
      'Si no fuiste tú, no tienes que hacer nada. Puedes seguir entrando con un enlace por correo electrónico.',
  },
}
