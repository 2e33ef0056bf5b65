CREATE SCHEMA lapcat;
CREATE SCHEMA lapcat_snapshots;
CREATE FUNCTION lapcat.appended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
        IF NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM lapcat.entries) OR NEW.previous <> coalesce(
            (SELECT hash FROM lapcat.entries ORDER BY id DESC LIMIT 1), '0000000000000000000000000000000000000000000000000000000000000000')
        THEN
            RAISE EXCEPTION 'entries are appended' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
CREATE FUNCTION lapcat.never() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
        RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
    END $$;
CREATE TABLE lapcat.about (
    schema_version integer NOT NULL
);
CREATE TABLE lapcat.debits (
    id bigint NOT NULL,
    question text NOT NULL COLLATE pg_catalog."C",
    epsilon bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    answer bytea,
    CONSTRAINT debits_check CHECK (((state = ANY (ARRAY['answered'::text, 'released'::text])) = (answer IS NOT NULL))),
    CONSTRAINT debits_epsilon_check CHECK ((epsilon >= 0)),
    CONSTRAINT debits_state_check CHECK ((state = ANY (ARRAY['debited'::text, 'looked'::text, 'answered'::text, 'released'::text, 'voided'::text])))
);
CREATE TABLE lapcat.entries (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    previous text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT entries_hash_check CHECK ((length(hash) = 64)),
    CONSTRAINT entries_id_check CHECK ((id > 0)),
    CONSTRAINT entries_previous_check CHECK ((length(previous) = 64))
);
CREATE TABLE lapcat.failures (
    scope text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL
);
CREATE TABLE lapcat.head (
    id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE lapcat.holdings (
    statistic text NOT NULL COLLATE pg_catalog."C",
    debit bigint NOT NULL
);
CREATE TABLE lapcat.keys (
    analyst text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    asks text NOT NULL COLLATE pg_catalog."C",
    debit bigint NOT NULL
);
CREATE TABLE lapcat.pauses (
    scope text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE lapcat.receivers (
    debit bigint NOT NULL,
    analyst text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE lapcat.secret (
    value bytea NOT NULL
);
CREATE TABLE lapcat.spent (
    scope text NOT NULL COLLATE pg_catalog."C",
    epsilon bigint,
    delta bigint NOT NULL,
    rho bigint,
    CONSTRAINT spent_delta_check CHECK ((delta >= 0)),
    CONSTRAINT spent_epsilon_check CHECK ((epsilon >= 0)),
    CONSTRAINT spent_rho_check CHECK ((rho >= 0))
);
CREATE TABLE lapcat.versions (
    source text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL
);
CREATE TABLE lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" (
    amount bigint,
    paid boolean
);
COMMENT ON TABLE lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" IS '{"columns": {"amount": "integer", "paid": "boolean"}, "format": 3, "ready": {}, "through": null, "unit": null, "unit_type": null}';
CREATE TABLE lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" (
    region text COLLATE pg_catalog."C",
    pay double precision,
    _lapcat_unit bigint,
    _lapcat_rank bigint,
    _lapcat_rows bigint,
    _lapcat_weight bigint,
    _lapcat_weighed_pay bigint
);
COMMENT ON TABLE lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" IS '{"columns": {"pay": "float", "region": "text"}, "format": 3, "ready": {"most": 2, "one": 1048576, "sums": {"pay": "Statistic(kind=<Kind.SUM: ''sum''>, value=Clamp(operand=Column(name=''pay'', type=<Type.FLOAT: ''float''>), low=Literal(value=0.0, type=<Type.FLOAT: ''float''>), high=Literal(value=100.0, type=<Type.FLOAT: ''float''>), type=<Type.FLOAT: ''float''>), filter=None, grid=Grid(clamp_low=0.0, clamp_high=100.0, exponent=-25, centre=Fraction(50, 1)), one=1)"}}, "through": null, "unit": "person", "unit_type": "integer"}';
CREATE TABLE public.bills (
    amount bigint,
    paid boolean
);
CREATE TABLE public.staff (
    person integer,
    region text,
    pay double precision
);
INSERT INTO lapcat.about VALUES (4);
INSERT INTO lapcat.debits VALUES (5, '94ffd34ae369e6b048781893ead705995b4bd79211ce2652ae50079bc6edca17', 500000000, 'released', '\x6c61706361742d63656c6c732031203320322063727970746f677261706869630a780163d66c60620082e3d5862c20da28701a985faf710b4c4ff81cacfaf2ffffffe9a5fdeb40f200f1340cbe');
INSERT INTO lapcat.debits VALUES (9, 'b5fc9ed478c9259233f94c40a17b781def2a1b9362ba788cda2095d0664dc614', 500000000, 'released', '\x6c61706361742d63656c6c73203120343320312063727970746f677261706869630a7801eb3dc4c400028651a27ffe0341876838584074b2ee5f10ffe01f2e305ff6f04e3690ba435b273282e8ce99c960f1edcfa341cafe4ba8ff06f36f6688b082e4b79b6aff0389df4f9d04164f4d7b04d65766711c6ceebeb907c1e23bea4240cafe1b2a5880edffbef30d483b83f3aecdcc209a37b18705444f533fff08a4ce24201c44fd9ffba0076cfee9759eec20f992ff8e607b8f29dffa0d929ff2c5f70b887eab7c9f0b24afc1a20956ff6ce371b0797ba39f81d53f116005bb67cf722990f2ffeebd8d60771eaf5e0f36c7af673d58fcc43d711e9039afef2d04f3bd6b7e7d0731be7a3683697fc51eb0fb9bb2c0ce6600007556aa3c');
INSERT INTO lapcat.debits VALUES (13, 'a374b39486a6673d431c659cc1a9a289a7b3a53f5923a09188632cea0b10a5de', 500000000, 'released', '\x6c61706361742d63656c6c732031203120332063727970746f677261706869630a7801d3da66c7c400049d2235605a4aeef97f100000407b0856');
INSERT INTO lapcat.debits VALUES (17, 'd99a8606bdb2a403170d79bc826043a8d874c2fcc1ec2c3e9a8b3e49bef711a3', 500000000, 'released', '\x6c61706361742d63656c6c732031203220322063727970746f677261706869630a78015367800019285d3601c2b8a40da1011f2d0247');
INSERT INTO lapcat.debits VALUES (21, '782800527dcc04f45557e759cfa4c79d2c9799afea1d4d2954c2bee1d7d7dce2', 500000000, 'released', '\x6c61706361742d63656c6c732031203120322063727970746f677261706869630a780163086613610082ace884392c401a00116e0233');
INSERT INTO lapcat.debits VALUES (26, 'b3c318ec8e6d3660028fccfe3183adc1381bd7edf1c3a72eb98fe9f652cb73e6', 146118165, 'released', '\x6c61706361742d63656c6c732031203120312063727970746f677261706869630a7801136680000000a00014');
INSERT INTO lapcat.entries VALUES (1, 'accept', '{"facts":{"analysts":{"ana":{"name":"ana","tables":{"bills":{"delta":"0","epsilon":"3","i_understand":null,"per_query":null,"rho":null},"staff":{"delta":"0.000001","epsilon":"5","i_understand":null,"per_query":null,"rho":null},"visits":{"delta":"0","epsilon":"2","i_understand":null,"per_query":null,"rho":null}}},"ben":{"name":"ben","tables":{"staff":{"delta":"0","epsilon":"1","i_understand":null,"per_query":null,"rho":null},"visits":{"delta":"0","epsilon":"1","i_understand":null,"per_query":null,"rho":null}}}},"books":{"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","visits.csv":"visits.csv"},"populations":{},"protects":{"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills":["row","add-remove"],"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff":["column person","add-remove"],"visits.csv":["row","add-remove","in blocks by month (text)"]},"public":{},"tables":{"bills":{"blocks":null,"booked_as":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","columns":{"amount":{"bounds":{"high":"1000","low":"0"},"keys":null,"name":"amount","null":null,"type":"integer","unique":false},"paid":{"bounds":null,"keys":null,"name":"paid","null":null,"type":"boolean","unique":false}},"groups_per_unit":null,"limit":{"delta":"0","epsilon":"3","i_understand":null,"per_query":null,"rho":null},"name":"bills","place":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","relation":"add-remove","rows_per_unit":1,"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","unit":{"column":null,"of":null,"through":null},"units":null},"staff":{"blocks":null,"booked_as":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","columns":{"pay":{"bounds":{"high":"100","low":"0"},"keys":null,"name":"pay","null":null,"type":"float","unique":false},"region":{"bounds":null,"keys":{"other":false,"values":["N","S"]},"name":"region","null":null,"type":"text","unique":false}},"groups_per_unit":null,"limit":{"delta":"0.000001","epsilon":"5","i_understand":null,"per_query":null,"rho":null},"name":"staff","place":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","relation":"add-remove","rows_per_unit":2,"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","unit":{"column":"person","of":null,"through":null},"units":null},"visits":{"blocks":{"column":"month","values":["2024-01","2024-02"],"within":false},"booked_as":"visits.csv","columns":{"cost":{"bounds":{"high":"500","low":"0"},"keys":null,"name":"cost","null":null,"type":"float","unique":false},"month":{"bounds":null,"keys":{"other":false,"values":["2024-01","2024-02"]},"name":"month","null":null,"type":"text","unique":false}},"groups_per_unit":null,"limit":{"delta":"0","epsilon":"3","i_understand":null,"per_query":null,"rho":null},"name":"visits","place":"visits.csv","relation":"add-remove","rows_per_unit":1,"source":"visits.csv","unit":{"column":null,"of":null,"through":null},"units":null}}},"reason":"first use","time":"2026-11-17T20:36:53+00:00"}', '0000000000000000000000000000000000000000000000000000000000000000', '96c401bafcd6c10d4394a13db179c58361a0db8ede56df3572a42e6cc909f91d');
INSERT INTO lapcat.entries VALUES (2, 'refresh', '{"memo":{"table":"staff"},"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","version":1}', '96c401bafcd6c10d4394a13db179c58361a0db8ede56df3572a42e6cc909f91d', 'a00db0c16ce1734ba72e5f65fa3993663ab9c412df07cbe441943d50cc8f91b7');
INSERT INTO lapcat.entries VALUES (3, 'refresh', '{"memo":{"table":"bills"},"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","version":1}', 'a00db0c16ce1734ba72e5f65fa3993663ab9c412df07cbe441943d50cc8f91b7', '90a88858c80e482c00f69c920fc2cdcc314012b2038b309a8c02f5ba1067c05b');
INSERT INTO lapcat.entries VALUES (4, 'refresh', '{"memo":{"table":"visits"},"source":"visits.csv","version":1}', '90a88858c80e482c00f69c920fc2cdcc314012b2038b309a8c02f5ba1067c05b', '00547349c29e6e232be1267f2c51b6331b7301c60a8ab396048dedd5e8899dd6');
INSERT INTO lapcat.entries VALUES (5, 'debit', '{"analyst":"ana","charges":[{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":false,"delta":0,"epsilon":500000000,"name":"staff","rho":125000000000,"scope":"table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"},{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ana on staff","rho":125000000000,"scope":"analyst:ana@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"}],"event":{"event":"joint","most":3,"parts":[{"event":"laplace","l1":"2097152","label":"count(pay)","scale":"12582912"},{"event":"laplace","l1":"2097152","label":"count(*)","scale":"12582912"},{"event":"laplace","l1":"3355443200","label":"sum(pay \u2212 50)","scale":"20132659200"}]},"holds":{"keys":[{"id":"d3120a1518cc5a4e5449afc39ed6975246911c0fbaa46216e0a1e37e31480895","size":2,"total":false}],"sets":[[0]],"statistics":["fe52cd5731bfba92d15fa087ec837019db3d3b75864828723e10f9c29d22ded2","a3db9171adbb09fd96bc4d13d2bbaaa20348e0fc31455a65af42a2297565c31c","70b3c48fd4f2d015d1f3f606054b6ced07fed1cc4525c581da45f7e348c81183"]},"memo":{"bounds":["each person counts for at most 2 rows of staff, more rows each for less (lapcat.toml)","rows without a person are dropped","rows whose region is not a declared key belong to no group (lapcat.toml)","pay is clamped to 0..100 (lapcat.toml)"],"engine":"postgresql by psycopg 3.3.9, duckdb 2.0.0","guarantee":{"epsilon":"0.5"},"lapcat":"0.1.0","measurements":{"event":"joint","most":3,"parts":[{"event":"laplace","l1":"2097152","label":"count(pay)","scale":"12582912"},{"event":"laplace","l1":"2097152","label":"count(*)","scale":"12582912"},{"event":"laplace","l1":"3355443200","label":"sum(pay \u2212 50)","scale":"20132659200"}]},"question":"SELECT region, COUNT(*) AS n, AVG(pay) AS m FROM staff GROUP BY region","relation":"add-remove","rows_per_unit":2,"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","table":"staff","unit":"person","version":1},"question":"94ffd34ae369e6b048781893ead705995b4bd79211ce2652ae50079bc6edca17","tables":["table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"],"time":"2026-11-17T20:36:56+00:00"}', '00547349c29e6e232be1267f2c51b6331b7301c60a8ab396048dedd5e8899dd6', '56b6e1dc4f7cf804f213f84addcb801df997e9323035f443d350d24322140eb8');
INSERT INTO lapcat.entries VALUES (6, 'looked', '{"debit":5}', '56b6e1dc4f7cf804f213f84addcb801df997e9323035f443d350d24322140eb8', '91177808ab98b89da07ab309683d5aec1ce74ca613f72877dc98f873569db548');
INSERT INTO lapcat.entries VALUES (7, 'answered', '{"debit":5,"sha256":"c089ea47cc9228ad810148e6e0dde884fc09ddf3995ad57d287b04d8cb300413"}', '91177808ab98b89da07ab309683d5aec1ce74ca613f72877dc98f873569db548', 'f9c22068d64557a9c8525b656f738a4defb3fc7f77418bd9cebdd8610bf6e81e');
INSERT INTO lapcat.entries VALUES (8, 'released', '{"debit":5}', 'f9c22068d64557a9c8525b656f738a4defb3fc7f77418bd9cebdd8610bf6e81e', '2237517a9596c20c832fbd8adbe75d5228edb42ae94a5b4aa0b7280385557241');
INSERT INTO lapcat.entries VALUES (9, 'debit', '{"analyst":"ana","charges":[{"after":{"delta":0,"epsilon":1000000000,"rho":250000000000},"analyst":false,"delta":0,"epsilon":500000000,"name":"staff","rho":125000000000,"scope":"table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"},{"after":{"delta":0,"epsilon":1000000000,"rho":250000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ana on staff","rho":125000000000,"scope":"analyst:ana@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"}],"event":{"choices":[{"event":"ranks","label":"median(pay)","lone":false,"moved":"2097152","parts":1,"quantiles":["0.5"],"rates":[["13/117440512"]],"scale":"117440512"},{"depth":277839464,"event":"extreme","highest":true,"label":"max(pay)","lone":false,"moved":"2097152","rate":"0.000000059604644775390625"}],"event":"together","sums":null},"holds":{"choices":[42,1],"keys":[],"sets":[[]],"statistics":["05647cea09ab1c71ed06e0b4f06836e84b5a01f4adf30176d5a5dd2e8ee50a60","7ee76fbbd1c0aa4a01fc3d7bce96cea854880e13b5996ea2c1367f51b8534ed8"]},"memo":{"bounds":["each person counts for at most 2 rows of staff, more rows each for less (lapcat.toml)","rows without a person are dropped","pay is clamped to 0..100 (lapcat.toml)"],"engine":"postgresql by psycopg 3.3.9, duckdb 2.0.0","guarantee":{"epsilon":"0.5"},"lapcat":"0.1.0","measurements":{"choices":[{"event":"ranks","label":"median(pay)","lone":false,"moved":"2097152","parts":1,"quantiles":["0.5"],"rates":[["13/117440512"]],"scale":"117440512"},{"depth":277839464,"event":"extreme","highest":true,"label":"max(pay)","lone":false,"moved":"2097152","rate":"0.000000059604644775390625"}],"event":"together","sums":null},"question":"SELECT MEDIAN(pay) AS m, MAX(pay) AS top FROM staff","relation":"add-remove","rows_per_unit":2,"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","table":"staff","unit":"person","version":1},"question":"b5fc9ed478c9259233f94c40a17b781def2a1b9362ba788cda2095d0664dc614","tables":["table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"],"time":"2026-11-17T20:36:57+00:00"}', '2237517a9596c20c832fbd8adbe75d5228edb42ae94a5b4aa0b7280385557241', '2770aae8c59029e383993cea760165bf7d7024a0f9db0ffe168736aa38c6570b');
INSERT INTO lapcat.entries VALUES (10, 'looked', '{"debit":9}', '2770aae8c59029e383993cea760165bf7d7024a0f9db0ffe168736aa38c6570b', 'b75e91f9971b3a92f986b080ef5f6a331ed2efa20d998ac65255bac8ed11cf6b');
INSERT INTO lapcat.entries VALUES (11, 'answered', '{"debit":9,"sha256":"3103bf47f7a533f91f6478e94e23f50d66ce341d7376336b239de71e75b6fded"}', 'b75e91f9971b3a92f986b080ef5f6a331ed2efa20d998ac65255bac8ed11cf6b', '0285d73827e0686238381702e9566652dc82d847f8b36af1077775f0e8cbf8a2');
INSERT INTO lapcat.entries VALUES (12, 'released', '{"debit":9}', '0285d73827e0686238381702e9566652dc82d847f8b36af1077775f0e8cbf8a2', 'ed863da218fb46d1b42d4ff1084597eac24fdfc83f9d418427a1a4205bb6108e');
INSERT INTO lapcat.entries VALUES (13, 'debit', '{"analyst":"ana","charges":[{"after":{"delta":0,"epsilon":1500000000,"rho":375000000000},"analyst":false,"delta":0,"epsilon":500000000,"name":"staff","rho":125000000000,"scope":"table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"},{"after":{"delta":0,"epsilon":1500000000,"rho":375000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ana on staff","rho":125000000000,"scope":"analyst:ana@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"}],"event":{"event":"joint","most":1,"parts":[{"event":"laplace","l1":"2097152","label":"identity: sums 3*1","scale":"4194304"}]},"holds":{"keys":[{"id":"324d1d885cfdde3cd41b3fcacb48f6f6994edf928ad12dd14c564108606b048f","listed":"d3120a1518cc5a4e5449afc39ed6975246911c0fbaa46216e0a1e37e31480895","size":3,"total":true}],"sets":[[0]],"statistics":["b307acddeaeb0de0f70f65cce7eded5496b093589fb208e43ea2787b3af9608c"]},"memo":{"bounds":["each person counts for at most 2 rows of staff, more rows each for less (lapcat.toml)","rows without a person are dropped","rows whose region is not a declared key belong to no group (lapcat.toml)"],"engine":"postgresql by psycopg 3.3.9, duckdb 2.0.0","guarantee":{"epsilon":"0.5"},"lapcat":"0.1.0","measurements":{"event":"joint","most":1,"parts":[{"event":"laplace","l1":"2097152","label":"identity: sums 3*1","scale":"4194304"}]},"question":"SELECT region, COUNT(*) AS n FROM staff WHERE pay > 5 GROUP BY ROLLUP (region)","relation":"add-remove","rows_per_unit":2,"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff","strategy":"identity","table":"staff","unit":"person","version":1},"question":"a374b39486a6673d431c659cc1a9a289a7b3a53f5923a09188632cea0b10a5de","tables":["table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"],"time":"2026-11-17T20:36:58+00:00"}', 'ed863da218fb46d1b42d4ff1084597eac24fdfc83f9d418427a1a4205bb6108e', '8b0593f7a2cb4fd2352e35ddba7c46898ef58d29fdfe66607e7011cffd24a1a6');
INSERT INTO lapcat.entries VALUES (14, 'looked', '{"debit":13}', '8b0593f7a2cb4fd2352e35ddba7c46898ef58d29fdfe66607e7011cffd24a1a6', '123c5abc4a05c6ad690df5f00c2c3e12a9de06075f1c85c3c160cfe1b939f389');
INSERT INTO lapcat.entries VALUES (15, 'answered', '{"debit":13,"sha256":"a96ac5cc5f1ac81ec51fbc92c70acbb7a16a3afb5e4bdb183f8866a21f95b349"}', '123c5abc4a05c6ad690df5f00c2c3e12a9de06075f1c85c3c160cfe1b939f389', '85a03d91ea5c52c822c3f9fde69cda92c6bc944e755d58ffc9da2eb29e744c78');
INSERT INTO lapcat.entries VALUES (16, 'released', '{"debit":13}', '85a03d91ea5c52c822c3f9fde69cda92c6bc944e755d58ffc9da2eb29e744c78', '90cc766004dd6b08b1d70b4e56b45a5190434bf45b69fffb5314874fba69a13e');
INSERT INTO lapcat.entries VALUES (17, 'debit', '{"analyst":"ana","charges":[{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":false,"delta":0,"epsilon":500000000,"name":"bills","rho":125000000000,"scope":"table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills"},{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ana on bills","rho":125000000000,"scope":"analyst:ana@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills"}],"event":{"event":"joint","most":2,"parts":[{"event":"laplace","l1":"1","label":"count(*)","scale":"4"},{"event":"laplace","l1":"1000","label":"sum(amount)","scale":"4000"}]},"holds":{"keys":[{"id":"ead43e654c5690d9837b581c4ab7c15494277d6d44d6f625d12b8e2c80d93a4d","size":2,"total":false}],"sets":[[0]],"statistics":["df3ceb28730d52973f189f36c85bacf851a35c14f0322dccb39c790e1f4581f7","f4073d072581ef8a169f9c49ba96e8ec79f353e0df4c2d27641cc74a451ced1f"]},"memo":{"bounds":["rows whose paid is not a declared key belong to no group (lapcat.toml)","amount is clamped to 0..1000 (lapcat.toml)"],"engine":"postgresql by psycopg 3.3.9, duckdb 2.0.0","guarantee":{"epsilon":"0.5"},"lapcat":"0.1.0","measurements":{"event":"joint","most":2,"parts":[{"event":"laplace","l1":"1","label":"count(*)","scale":"4"},{"event":"laplace","l1":"1000","label":"sum(amount)","scale":"4000"}]},"question":"SELECT paid, COUNT(*) AS n, SUM(amount) AS s FROM bills GROUP BY paid","relation":"add-remove","rows_per_unit":1,"source":"postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","table":"bills","unit":"row","version":1},"question":"d99a8606bdb2a403170d79bc826043a8d874c2fcc1ec2c3e9a8b3e49bef711a3","tables":["table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills"],"time":"2026-11-17T20:36:58+00:00"}', '90cc766004dd6b08b1d70b4e56b45a5190434bf45b69fffb5314874fba69a13e', '4da52820d7428ab15eaeca1ac502d27db3c81bcf26a9670ec63f2fe4b355b03a');
INSERT INTO lapcat.entries VALUES (18, 'looked', '{"debit":17}', '4da52820d7428ab15eaeca1ac502d27db3c81bcf26a9670ec63f2fe4b355b03a', 'c717d0eb0a927226554951ccb093f8aa957d2caed51226184000c2f5395e7cf9');
INSERT INTO lapcat.entries VALUES (19, 'answered', '{"debit":17,"sha256":"2ce7e6814631ed395fb2e47c7036772d84b70fff8d07d230a604770f3fe57bce"}', 'c717d0eb0a927226554951ccb093f8aa957d2caed51226184000c2f5395e7cf9', '38ea6be464aee8e51234062ed754e7ac794b949e75569a3909f286ed5669d650');
INSERT INTO lapcat.entries VALUES (20, 'released', '{"debit":17}', '38ea6be464aee8e51234062ed754e7ac794b949e75569a3909f286ed5669d650', '202ccda9501653b2663d12b996670a05aab7ac174f1a00be20b4f47cfdf60caa');
INSERT INTO lapcat.entries VALUES (21, 'debit', '{"analyst":"ana","charges":[{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":false,"delta":0,"epsilon":500000000,"name":"visits, month 2024-01","rho":125000000000,"scope":"block:visits.csv#2024-01"},{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":false,"delta":0,"epsilon":500000000,"name":"visits, month 2024-02","rho":125000000000,"scope":"block:visits.csv#2024-02"},{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ana on visits, month 2024-01","rho":125000000000,"scope":"analyst:ana@visits.csv#2024-01"},{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ana on visits, month 2024-02","rho":125000000000,"scope":"analyst:ana@visits.csv#2024-02"}],"event":{"event":"joint","most":1,"parts":[{"event":"laplace","l1":"2097152000","label":"sum(cost)","scale":"4194304000"}]},"holds":{"keys":[{"id":"0e5a7354392b00ec1c58d2bff44aa4aab68e8b5948aa70cd9553736e9bf688b6","size":2,"total":false}],"sets":[[0]],"statistics":["5e8cbeeaf5a62a29016de9b1dbbe4d122e643381b6293b2fc348f19b3b7dbd97"]},"memo":{"blocks":["2024-01","2024-02"],"bounds":["rows of visits whose month is not declared are left out (lapcat.toml)","rows whose month is not a declared key belong to no group (lapcat.toml)","cost is clamped to 0..500 (lapcat.toml)"],"engine":"postgresql by psycopg 3.3.9, duckdb 2.0.0","guarantee":{"epsilon":"0.5"},"lapcat":"0.1.0","measurements":{"event":"joint","most":1,"parts":[{"event":"laplace","l1":"2097152000","label":"sum(cost)","scale":"4194304000"}]},"question":"SELECT month, SUM(cost) AS c FROM visits GROUP BY month","relation":"add-remove","rows_per_unit":1,"source":"visits.csv","table":"visits","unit":"row","version":1},"question":"782800527dcc04f45557e759cfa4c79d2c9799afea1d4d2954c2bee1d7d7dce2","tables":["table:visits.csv"],"time":"2026-11-17T20:36:58+00:00"}', '202ccda9501653b2663d12b996670a05aab7ac174f1a00be20b4f47cfdf60caa', '21e7a3dfd6b0713487b57781686cfb5aa2ec23a99ea8495d55128b0c9477260b');
INSERT INTO lapcat.entries VALUES (22, 'key', '{"analyst":"ana","asks":"12d6f3dfdd3d8f5872a79c95e3e2cef0e00320e9585bc3a6a285a923052012d9","debit":21,"key":"request-1"}', '21e7a3dfd6b0713487b57781686cfb5aa2ec23a99ea8495d55128b0c9477260b', '65172166723c827ced6700a3038f4522ba381bde29f5e1038dfb50a523240497');
INSERT INTO lapcat.entries VALUES (23, 'looked', '{"debit":21}', '65172166723c827ced6700a3038f4522ba381bde29f5e1038dfb50a523240497', '0cd6e8f981bd2fec6e38739bb2870afc2f54625ec0c321ebe9b41def25e66e06');
INSERT INTO lapcat.entries VALUES (24, 'answered', '{"debit":21,"sha256":"ffa96febee5f31fb718482bb951d30c542a0880af4fdf49687bf9f3f1696e598"}', '0cd6e8f981bd2fec6e38739bb2870afc2f54625ec0c321ebe9b41def25e66e06', 'f6060bc10f3a222c1cf756ed526fdfe084cb7a7f560f185622be0a5a0c49f432');
INSERT INTO lapcat.entries VALUES (25, 'released', '{"debit":21}', 'f6060bc10f3a222c1cf756ed526fdfe084cb7a7f560f185622be0a5a0c49f432', '077f28c4a9ac574003581d0fe7b9257c3e9c0faef97cd3f0dc11f8c184a368da');
INSERT INTO lapcat.entries VALUES (26, 'debit', '{"analyst":"ana","charges":[{"after":{"delta":0,"epsilon":646118165,"rho":135675259072},"analyst":false,"delta":0,"epsilon":146118165,"name":"visits, month 2024-02","rho":10675259072,"scope":"block:visits.csv#2024-02"},{"after":{"delta":0,"epsilon":646118165,"rho":135675259072},"analyst":true,"delta":0,"epsilon":146118165,"name":"ana on visits, month 2024-02","rho":10675259072,"scope":"analyst:ana@visits.csv#2024-02"}],"event":{"event":"joint","most":1,"parts":[{"event":"laplace","l1":"1","label":"count(*)","scale":"200000000/29223633"}]},"holds":{"keys":[],"sets":[[]],"statistics":["b667b48daad2876c0f8c0be2b4973a75474869630bc9baf2a4e95094e86a99ee"]},"memo":{"blocks":["2024-02"],"bounds":["rows of visits whose month is not declared are left out (lapcat.toml)"],"engine":"postgresql by psycopg 3.3.9, duckdb 2.0.0","guarantee":{"epsilon":"0.146118165"},"lapcat":"0.1.0","measurements":{"event":"joint","most":1,"parts":[{"event":"laplace","l1":"1","label":"count(*)","scale":"200000000/29223633"}]},"question":"SELECT COUNT(*) AS n FROM visits WHERE month = ''2024-02''","relation":"add-remove","rows_per_unit":1,"source":"visits.csv","table":"visits","unit":"row","version":1,"wanted":{"confidence":"0.95","error":"20"}},"question":"b3c318ec8e6d3660028fccfe3183adc1381bd7edf1c3a72eb98fe9f652cb73e6","tables":["table:visits.csv"],"time":"2026-11-17T20:36:58+00:00"}', '077f28c4a9ac574003581d0fe7b9257c3e9c0faef97cd3f0dc11f8c184a368da', '84d58d6b95b99c75ebf1ac7f09412269ea48b6120768aa3e4939e31eb37d035d');
INSERT INTO lapcat.entries VALUES (27, 'looked', '{"debit":26}', '84d58d6b95b99c75ebf1ac7f09412269ea48b6120768aa3e4939e31eb37d035d', 'b445f1128584ad1b0b4b94d70376a2650ec3cc8d8016e02789407ce5e815abb2');
INSERT INTO lapcat.entries VALUES (28, 'answered', '{"debit":26,"sha256":"32d0fc850d8f173394a86a926e096b93aec76f7bc30487c8b97b62c6dd9b44d4"}', 'b445f1128584ad1b0b4b94d70376a2650ec3cc8d8016e02789407ce5e815abb2', '49f9d28bd966df5e895e7460bbb3713c29d33b35741e498a5c179de42ea9b38f');
INSERT INTO lapcat.entries VALUES (29, 'released', '{"debit":26}', '49f9d28bd966df5e895e7460bbb3713c29d33b35741e498a5c179de42ea9b38f', '691b3cdeebdc85de3c246c50f974808f1e29f512886ebff57c3c374763283edd');
INSERT INTO lapcat.entries VALUES (30, 'share', '{"analyst":"ben","charges":[{"after":{"delta":0,"epsilon":500000000,"rho":125000000000},"analyst":true,"delta":0,"epsilon":500000000,"name":"ben on staff","rho":125000000000,"scope":"analyst:ben@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff"}],"debit":5,"time":"2026-11-17T20:36:59+00:00"}', '691b3cdeebdc85de3c246c50f974808f1e29f512886ebff57c3c374763283edd', 'aa48bb3554b77289ae416acb81bf8689f86b34828506a580d44907c4a7176469');
INSERT INTO lapcat.entries VALUES (31, 'pause', '{"reason":"made up","table":"table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","time":"2026-11-17T20:37:02+00:00"}', 'aa48bb3554b77289ae416acb81bf8689f86b34828506a580d44907c4a7176469', 'db09be7afcde4167827c9be3d8441f0f72b7dc154f66d7742d044ac0ff704e3a');
INSERT INTO lapcat.entries VALUES (32, 'resume', '{"reason":"made up","table":"table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills","time":"2026-11-17T20:37:05+00:00"}', 'db09be7afcde4167827c9be3d8441f0f72b7dc154f66d7742d044ac0ff704e3a', '1bb957dda71af807c0b6947c79bd185c9bcc80af925bbbf280fac6c33a5a202f');
INSERT INTO lapcat.failures VALUES ('table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills', 0);
INSERT INTO lapcat.head VALUES (32, '1bb957dda71af807c0b6947c79bd185c9bcc80af925bbbf280fac6c33a5a202f');
INSERT INTO lapcat.holdings VALUES ('fe52cd5731bfba92d15fa087ec837019db3d3b75864828723e10f9c29d22ded2', 5);
INSERT INTO lapcat.holdings VALUES ('a3db9171adbb09fd96bc4d13d2bbaaa20348e0fc31455a65af42a2297565c31c', 5);
INSERT INTO lapcat.holdings VALUES ('70b3c48fd4f2d015d1f3f606054b6ced07fed1cc4525c581da45f7e348c81183', 5);
INSERT INTO lapcat.holdings VALUES ('05647cea09ab1c71ed06e0b4f06836e84b5a01f4adf30176d5a5dd2e8ee50a60', 9);
INSERT INTO lapcat.holdings VALUES ('7ee76fbbd1c0aa4a01fc3d7bce96cea854880e13b5996ea2c1367f51b8534ed8', 9);
INSERT INTO lapcat.holdings VALUES ('b307acddeaeb0de0f70f65cce7eded5496b093589fb208e43ea2787b3af9608c', 13);
INSERT INTO lapcat.holdings VALUES ('df3ceb28730d52973f189f36c85bacf851a35c14f0322dccb39c790e1f4581f7', 17);
INSERT INTO lapcat.holdings VALUES ('f4073d072581ef8a169f9c49ba96e8ec79f353e0df4c2d27641cc74a451ced1f', 17);
INSERT INTO lapcat.holdings VALUES ('5e8cbeeaf5a62a29016de9b1dbbe4d122e643381b6293b2fc348f19b3b7dbd97', 21);
INSERT INTO lapcat.holdings VALUES ('b667b48daad2876c0f8c0be2b4973a75474869630bc9baf2a4e95094e86a99ee', 26);
INSERT INTO lapcat.keys VALUES ('ana', 'request-1', '12d6f3dfdd3d8f5872a79c95e3e2cef0e00320e9585bc3a6a285a923052012d9', 21);
INSERT INTO lapcat.receivers VALUES (5, 'ana');
INSERT INTO lapcat.receivers VALUES (9, 'ana');
INSERT INTO lapcat.receivers VALUES (13, 'ana');
INSERT INTO lapcat.receivers VALUES (17, 'ana');
INSERT INTO lapcat.receivers VALUES (21, 'ana');
INSERT INTO lapcat.receivers VALUES (26, 'ana');
INSERT INTO lapcat.receivers VALUES (5, 'ben');
INSERT INTO lapcat.secret VALUES ('\xe8bf39bb3b09ce5e57dcce64aa70e4e5022a05e3ad54c4bfc559ca688f1c6d60');
INSERT INTO lapcat.spent VALUES ('analyst:ana@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff', 1500000000, 0, 375000000000);
INSERT INTO lapcat.spent VALUES ('table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff', 1500000000, 0, 375000000000);
INSERT INTO lapcat.spent VALUES ('analyst:ana@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills', 500000000, 0, 125000000000);
INSERT INTO lapcat.spent VALUES ('table:postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills', 500000000, 0, 125000000000);
INSERT INTO lapcat.spent VALUES ('analyst:ana@visits.csv#2024-01', 500000000, 0, 125000000000);
INSERT INTO lapcat.spent VALUES ('block:visits.csv#2024-01', 500000000, 0, 125000000000);
INSERT INTO lapcat.spent VALUES ('analyst:ana@visits.csv#2024-02', 646118165, 0, 135675259072);
INSERT INTO lapcat.spent VALUES ('block:visits.csv#2024-02', 646118165, 0, 135675259072);
INSERT INTO lapcat.spent VALUES ('analyst:ben@postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff', 500000000, 0, 125000000000);
INSERT INTO lapcat.versions VALUES ('postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.staff', 1);
INSERT INTO lapcat.versions VALUES ('postgresql:///tmp/lapcat-pg-1orcv5qs:5432/postgres#public.bills', 1);
INSERT INTO lapcat.versions VALUES ('visits.csv', 1);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (0, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (17, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (34, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (51, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (68, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (85, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (102, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (119, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (136, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (153, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (170, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (187, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (204, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (221, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (238, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (255, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (272, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (289, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (306, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (323, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (340, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (357, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (374, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (391, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (408, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (425, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (442, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (459, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (476, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (493, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (510, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (527, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (544, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (561, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (578, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (595, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (612, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (629, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (646, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (663, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (680, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (697, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (714, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (731, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (748, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (765, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (782, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (799, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (816, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (833, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (850, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (867, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (884, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (901, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (918, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (935, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (952, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (969, true);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (986, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_bills-1c4c4523.1" VALUES (3, false);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 20, 10, 1, 2, 1048576, -1006632960);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 2, 1, 1, 2, 1048576, -1610612736);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 5, 2, 1, 2, 1048576, -1509949440);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 7, 3, 1, 2, 1048576, -1442840576);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 9, 4, 1, 2, 1048576, -1375731712);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 11, 5, 1, 2, 1048576, -1308622848);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 12, 6, 1, 2, 1048576, -1275068416);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 14, 7, 1, 2, 1048576, -1207959552);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 16, 8, 1, 2, 1048576, -1140850688);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 19, 9, 1, 2, 1048576, -1040187392);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 1, 0, 1, 2, 1048576, -1644167168);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 22, 11, 1, 2, 1048576, -939524096);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 25, 12, 1, 2, 1048576, -838860800);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 26, 13, 1, 2, 1048576, -805306368);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 28, 14, 1, 2, 1048576, -738197504);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 30, 15, 1, 2, 1048576, -671088640);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 33, 16, 1, 2, 1048576, -570425344);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 34, 17, 1, 2, 1048576, -536870912);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 36, 18, 1, 2, 1048576, -469762048);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 38, 19, 1, 2, 1048576, -402653184);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 40, 20, 1, 2, 1048576, -335544320);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 42, 21, 1, 2, 1048576, -268435456);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 45, 22, 1, 2, 1048576, -167772160);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 47, 23, 1, 2, 1048576, -100663296);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 48, 24, 1, 2, 1048576, -67108864);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 50, 25, 1, 2, 1048576, 0);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 53, 26, 1, 2, 1048576, 100663296);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 54, 27, 1, 2, 1048576, 134217728);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 57, 28, 1, 2, 1048576, 234881024);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 58, 29, 1, 2, 1048576, 268435456);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 60, 30, 1, 2, 1048576, 335544320);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 63, 31, 1, 2, 1048576, 436207616);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 64, 32, 1, 2, 1048576, 469762048);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 66, 33, 1, 2, 1048576, 536870912);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 68, 34, 1, 2, 1048576, 603979776);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 71, 35, 1, 2, 1048576, 704643072);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 73, 36, 1, 2, 1048576, 771751936);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 75, 37, 1, 2, 1048576, 838860800);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 77, 38, 1, 2, 1048576, 905969664);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 79, 39, 1, 2, 1048576, 973078528);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 74, 37, 2, 2, 1048576, 805306368);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 0, 0, 2, 2, 1048576, -1677721600);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 41, 20, 2, 2, 1048576, -301989888);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 3, 1, 2, 2, 1048576, -1577058304);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 61, 30, 2, 2, 1048576, 369098752);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 4, 2, 2, 2, 1048576, -1543503872);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 43, 21, 2, 2, 1048576, -234881024);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 6, 3, 2, 2, 1048576, -1476395008);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 70, 35, 2, 2, 1048576, 671088640);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 8, 4, 2, 2, 1048576, -1409286144);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 44, 22, 2, 2, 1048576, -201326592);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 10, 5, 2, 2, 1048576, -1342177280);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 62, 31, 2, 2, 1048576, 402653184);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 13, 6, 2, 2, 1048576, -1241513984);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 46, 23, 2, 2, 1048576, -134217728);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 15, 7, 2, 2, 1048576, -1174405120);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 78, 39, 2, 2, 1048576, 939524096);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 17, 8, 2, 2, 1048576, -1107296256);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 49, 24, 2, 2, 1048576, -33554432);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 18, 9, 2, 2, 1048576, -1073741824);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 65, 32, 2, 2, 1048576, 503316480);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 21, 10, 2, 2, 1048576, -973078528);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 51, 25, 2, 2, 1048576, 33554432);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 23, 11, 2, 2, 1048576, -905969664);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 72, 36, 2, 2, 1048576, 738197504);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 24, 12, 2, 2, 1048576, -872415232);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 52, 26, 2, 2, 1048576, 67108864);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 27, 13, 2, 2, 1048576, -771751936);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 67, 33, 2, 2, 1048576, 570425344);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 29, 14, 2, 2, 1048576, -704643072);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 55, 27, 2, 2, 1048576, 167772160);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 31, 15, 2, 2, 1048576, -637534208);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 76, 38, 2, 2, 1048576, 872415232);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 32, 16, 2, 2, 1048576, -603979776);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('N', 56, 28, 2, 2, 1048576, 201326592);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 35, 17, 2, 2, 1048576, -503316480);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 69, 34, 2, 2, 1048576, 637534208);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 37, 18, 2, 2, 1048576, -436207616);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 59, 29, 2, 2, 1048576, 301989888);
INSERT INTO lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" VALUES ('S', 39, 19, 2, 2, 1048576, -369098752);
INSERT INTO public.bills VALUES (0, true);
INSERT INTO public.bills VALUES (17, false);
INSERT INTO public.bills VALUES (34, false);
INSERT INTO public.bills VALUES (51, true);
INSERT INTO public.bills VALUES (68, false);
INSERT INTO public.bills VALUES (85, false);
INSERT INTO public.bills VALUES (102, true);
INSERT INTO public.bills VALUES (119, false);
INSERT INTO public.bills VALUES (136, false);
INSERT INTO public.bills VALUES (153, true);
INSERT INTO public.bills VALUES (170, false);
INSERT INTO public.bills VALUES (187, false);
INSERT INTO public.bills VALUES (204, true);
INSERT INTO public.bills VALUES (221, false);
INSERT INTO public.bills VALUES (238, false);
INSERT INTO public.bills VALUES (255, true);
INSERT INTO public.bills VALUES (272, false);
INSERT INTO public.bills VALUES (289, false);
INSERT INTO public.bills VALUES (306, true);
INSERT INTO public.bills VALUES (323, false);
INSERT INTO public.bills VALUES (340, false);
INSERT INTO public.bills VALUES (357, true);
INSERT INTO public.bills VALUES (374, false);
INSERT INTO public.bills VALUES (391, false);
INSERT INTO public.bills VALUES (408, true);
INSERT INTO public.bills VALUES (425, false);
INSERT INTO public.bills VALUES (442, false);
INSERT INTO public.bills VALUES (459, true);
INSERT INTO public.bills VALUES (476, false);
INSERT INTO public.bills VALUES (493, false);
INSERT INTO public.bills VALUES (510, true);
INSERT INTO public.bills VALUES (527, false);
INSERT INTO public.bills VALUES (544, false);
INSERT INTO public.bills VALUES (561, true);
INSERT INTO public.bills VALUES (578, false);
INSERT INTO public.bills VALUES (595, false);
INSERT INTO public.bills VALUES (612, true);
INSERT INTO public.bills VALUES (629, false);
INSERT INTO public.bills VALUES (646, false);
INSERT INTO public.bills VALUES (663, true);
INSERT INTO public.bills VALUES (680, false);
INSERT INTO public.bills VALUES (697, false);
INSERT INTO public.bills VALUES (714, true);
INSERT INTO public.bills VALUES (731, false);
INSERT INTO public.bills VALUES (748, false);
INSERT INTO public.bills VALUES (765, true);
INSERT INTO public.bills VALUES (782, false);
INSERT INTO public.bills VALUES (799, false);
INSERT INTO public.bills VALUES (816, true);
INSERT INTO public.bills VALUES (833, false);
INSERT INTO public.bills VALUES (850, false);
INSERT INTO public.bills VALUES (867, true);
INSERT INTO public.bills VALUES (884, false);
INSERT INTO public.bills VALUES (901, false);
INSERT INTO public.bills VALUES (918, true);
INSERT INTO public.bills VALUES (935, false);
INSERT INTO public.bills VALUES (952, false);
INSERT INTO public.bills VALUES (969, true);
INSERT INTO public.bills VALUES (986, false);
INSERT INTO public.bills VALUES (3, false);
INSERT INTO public.staff VALUES (0, 'N', 0);
INSERT INTO public.staff VALUES (0, 'S', 1);
INSERT INTO public.staff VALUES (1, 'N', 2);
INSERT INTO public.staff VALUES (1, 'S', 3);
INSERT INTO public.staff VALUES (2, 'N', 4);
INSERT INTO public.staff VALUES (2, 'S', 5);
INSERT INTO public.staff VALUES (3, 'N', 6);
INSERT INTO public.staff VALUES (3, 'S', 7);
INSERT INTO public.staff VALUES (4, 'N', 8);
INSERT INTO public.staff VALUES (4, 'S', 9);
INSERT INTO public.staff VALUES (5, 'N', 10);
INSERT INTO public.staff VALUES (5, 'S', 11);
INSERT INTO public.staff VALUES (6, 'N', 12);
INSERT INTO public.staff VALUES (6, 'S', 13);
INSERT INTO public.staff VALUES (7, 'N', 14);
INSERT INTO public.staff VALUES (7, 'S', 15);
INSERT INTO public.staff VALUES (8, 'N', 16);
INSERT INTO public.staff VALUES (8, 'S', 17);
INSERT INTO public.staff VALUES (9, 'N', 18);
INSERT INTO public.staff VALUES (9, 'S', 19);
INSERT INTO public.staff VALUES (10, 'N', 20);
INSERT INTO public.staff VALUES (10, 'S', 21);
INSERT INTO public.staff VALUES (11, 'N', 22);
INSERT INTO public.staff VALUES (11, 'S', 23);
INSERT INTO public.staff VALUES (12, 'N', 24);
INSERT INTO public.staff VALUES (12, 'S', 25);
INSERT INTO public.staff VALUES (13, 'N', 26);
INSERT INTO public.staff VALUES (13, 'S', 27);
INSERT INTO public.staff VALUES (14, 'N', 28);
INSERT INTO public.staff VALUES (14, 'S', 29);
INSERT INTO public.staff VALUES (15, 'N', 30);
INSERT INTO public.staff VALUES (15, 'S', 31);
INSERT INTO public.staff VALUES (16, 'N', 32);
INSERT INTO public.staff VALUES (16, 'S', 33);
INSERT INTO public.staff VALUES (17, 'N', 34);
INSERT INTO public.staff VALUES (17, 'S', 35);
INSERT INTO public.staff VALUES (18, 'N', 36);
INSERT INTO public.staff VALUES (18, 'S', 37);
INSERT INTO public.staff VALUES (19, 'N', 38);
INSERT INTO public.staff VALUES (19, 'S', 39);
INSERT INTO public.staff VALUES (20, 'N', 40);
INSERT INTO public.staff VALUES (20, 'S', 41);
INSERT INTO public.staff VALUES (21, 'N', 42);
INSERT INTO public.staff VALUES (21, 'S', 43);
INSERT INTO public.staff VALUES (22, 'N', 44);
INSERT INTO public.staff VALUES (22, 'S', 45);
INSERT INTO public.staff VALUES (23, 'N', 46);
INSERT INTO public.staff VALUES (23, 'S', 47);
INSERT INTO public.staff VALUES (24, 'N', 48);
INSERT INTO public.staff VALUES (24, 'S', 49);
INSERT INTO public.staff VALUES (25, 'N', 50);
INSERT INTO public.staff VALUES (25, 'S', 51);
INSERT INTO public.staff VALUES (26, 'N', 52);
INSERT INTO public.staff VALUES (26, 'S', 53);
INSERT INTO public.staff VALUES (27, 'N', 54);
INSERT INTO public.staff VALUES (27, 'S', 55);
INSERT INTO public.staff VALUES (28, 'N', 56);
INSERT INTO public.staff VALUES (28, 'S', 57);
INSERT INTO public.staff VALUES (29, 'N', 58);
INSERT INTO public.staff VALUES (29, 'S', 59);
INSERT INTO public.staff VALUES (30, 'N', 60);
INSERT INTO public.staff VALUES (30, 'S', 61);
INSERT INTO public.staff VALUES (31, 'N', 62);
INSERT INTO public.staff VALUES (31, 'S', 63);
INSERT INTO public.staff VALUES (32, 'N', 64);
INSERT INTO public.staff VALUES (32, 'S', 65);
INSERT INTO public.staff VALUES (33, 'N', 66);
INSERT INTO public.staff VALUES (33, 'S', 67);
INSERT INTO public.staff VALUES (34, 'N', 68);
INSERT INTO public.staff VALUES (34, 'S', 69);
INSERT INTO public.staff VALUES (35, 'N', 70);
INSERT INTO public.staff VALUES (35, 'S', 71);
INSERT INTO public.staff VALUES (36, 'N', 72);
INSERT INTO public.staff VALUES (36, 'S', 73);
INSERT INTO public.staff VALUES (37, 'N', 74);
INSERT INTO public.staff VALUES (37, 'S', 75);
INSERT INTO public.staff VALUES (38, 'N', 76);
INSERT INTO public.staff VALUES (38, 'S', 77);
INSERT INTO public.staff VALUES (39, 'N', 78);
INSERT INTO public.staff VALUES (39, 'S', 79);
ALTER TABLE ONLY lapcat.debits
    ADD CONSTRAINT debits_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lapcat.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lapcat.failures
    ADD CONSTRAINT failures_pkey PRIMARY KEY (scope);
ALTER TABLE ONLY lapcat.holdings
    ADD CONSTRAINT holdings_pkey PRIMARY KEY (statistic, debit);
ALTER TABLE ONLY lapcat.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (analyst, key);
ALTER TABLE ONLY lapcat.pauses
    ADD CONSTRAINT pauses_pkey PRIMARY KEY (scope);
ALTER TABLE ONLY lapcat.receivers
    ADD CONSTRAINT receivers_pkey PRIMARY KEY (debit, analyst);
ALTER TABLE ONLY lapcat.spent
    ADD CONSTRAINT spent_pkey PRIMARY KEY (scope);
ALTER TABLE ONLY lapcat.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (source);
CREATE INDEX accepted ON lapcat.entries USING btree (id) WHERE (kind = 'accept'::text);
CREATE INDEX questions ON lapcat.debits USING btree (question, epsilon);
CREATE INDEX "t_pg_1orcv5qs_5432_postgres_public_staff-912d5__lapcat_rank_idx" ON lapcat_snapshots."t_pg_1orcv5qs_5432_postgres_public_staff-912d5689.1" USING brin (_lapcat_rank);
CREATE TRIGGER debits_are_never_emptied BEFORE TRUNCATE ON lapcat.debits FOR EACH STATEMENT EXECUTE FUNCTION lapcat.never('debits are never emptied');
CREATE TRIGGER debits_are_never_removed BEFORE DELETE ON lapcat.debits FOR EACH ROW EXECUTE FUNCTION lapcat.never('debits are never removed');
CREATE TRIGGER entries_are_appended BEFORE INSERT ON lapcat.entries FOR EACH ROW EXECUTE FUNCTION lapcat.appended();
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON lapcat.entries FOR EACH ROW EXECUTE FUNCTION lapcat.never('entries are never changed');
CREATE TRIGGER entries_are_never_emptied BEFORE TRUNCATE ON lapcat.entries FOR EACH STATEMENT EXECUTE FUNCTION lapcat.never('entries are never emptied');
CREATE TRIGGER entries_are_never_removed BEFORE DELETE ON lapcat.entries FOR EACH ROW EXECUTE FUNCTION lapcat.never('entries are never removed');
CREATE TRIGGER the_first_answer_stays BEFORE UPDATE ON lapcat.debits FOR EACH ROW WHEN (((old.answer IS NOT NULL) AND (new.answer IS DISTINCT FROM old.answer))) EXECUTE FUNCTION lapcat.never('the first answer stays');
