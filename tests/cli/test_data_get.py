"""What `progtf data get` says of an order that it cannot take."""

import pytest


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["scan", "nothing", "--from", "{folder}"], "no set is called `nothing`"),
        (["SCAN"], "did you mean `scan`?"),
        (["scna"], "did you mean `scan`?"),
        (["scan", "--from", ""], "--from names nothing"),
    ],
)
def test_a_wrong_order_is_told_before_anything_comes(progtf, tmp_path, monkeypatch, asked, says):
    monkeypatch.setenv("PROGTF_DATA", str(tmp_path / "data"))
    given = [each.format(folder=tmp_path) for each in asked]
    status, _, err = progtf("data", "get", *given)
    assert status == 1
    assert says in err
    assert not (tmp_path / "data").exists()
